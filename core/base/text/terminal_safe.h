// SPDX-License-Identifier: Apache-2.0
// Text that a stranger may have written, for a terminal or a page. A terminal takes control characters for commands:
// they change its title, fill the clipboard, colour rows or write over them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace rankscope {

/// Bytes of the UTF-8 character that `text` begins with; 0: it begins with none.
std::size_t characterBytes(std::string_view text);

/// Text of one line: line ends and tabs become a space. What else a terminal would obey (ESC, BEL, CR, the C1 set,
/// marks that turn the direction of what follows) and what is no UTF-8 becomes '?'.
std::string printableLine(std::string_view text);

/// The same of several lines: line ends and tabs stay.
std::string printable(std::string_view text);

/// JSON with such characters escaped as JSON has it, so that the values stay the same.
std::string printableJson(std::string_view json);

} // namespace rankscope
