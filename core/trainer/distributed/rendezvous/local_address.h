// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace rankscope::trainer {

/// The address of this host by which it reaches `host`: other ranks reach it by the same network. On the host itself,
/// whose own name often means a loopback address, that of its first interface that is up. Empty: none found.
std::string ownAddressTowards(const std::string& host, std::uint16_t port);

} // namespace rankscope::trainer
