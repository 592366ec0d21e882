// SPDX-License-Identifier: Apache-2.0
#include "core/exchange/tensorboard/crc32c.h"

#include <array>
#include <bit>

namespace rankscope::exchange {

static constexpr std::uint32_t kPolynomial = 0x82F63B78; // 0x1EDC6F41 with its bits turned round
static constexpr std::uint32_t kMask = 0xA282EAD8;

static constexpr std::array<std::uint32_t, 256> makeTable() {
    std::array<std::uint32_t, 256> table{};
    for (std::uint32_t i = 0; i < table.size(); ++i) {
        std::uint32_t c = i;
        for (int bit = 0; bit < 8; ++bit)
            c = (c & 1) != 0 ? c >> 1 ^ kPolynomial : c >> 1;
        table[i] = c;
    }
    return table;
}
static constexpr auto kTable = makeTable();

std::uint32_t crc32c(std::string_view bytes) {
    std::uint32_t c = ~std::uint32_t{0};
    for (const char byte : bytes)
        c = kTable[(c ^ static_cast<std::uint8_t>(byte)) & 0xFF] ^ c >> 8;
    return ~c;
}

std::uint32_t maskedCrc(std::string_view bytes) {
    return std::rotr(crc32c(bytes), 15) + kMask;
}

} // namespace rankscope::exchange
