// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace rankscope::exchange {

/// CRC-32C (Castagnoli, RFC 3720): "123456789" gives 0xE3069283.
std::uint32_t crc32c(std::string_view bytes);

/// As TFRecord stores it: a checksum of bytes that hold checksums would be weak, so it is turned and shifted.
std::uint32_t maskedCrc(std::string_view bytes);

} // namespace rankscope::exchange
