// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace rankscope {

/// Replaces NUL and bytes that are not valid UTF-8 with '?', because readers of a store or a page expect UTF-8.
std::string cleanText(std::string_view text);

/// Escapes text for use inside an element or a quoted attribute. Control characters become '?', because a page may be
/// shown in a terminal.
std::string html(std::string_view text);

} // namespace rankscope
