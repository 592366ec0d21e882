// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace rankscope::exchange {

/// Bytes that are no UTF-8, and NUL, become '?': what reads a store or a page expects UTF-8.
std::string cleanText(std::string_view text);

/// For the inside of an element or an attribute in quotes. Control characters become '?': a page may be shown in a
/// terminal.
std::string html(std::string_view text);

} // namespace rankscope::exchange
