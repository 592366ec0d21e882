// SPDX-License-Identifier: Apache-2.0
// Makes untrusted text safe for a terminal or a page. A terminal interprets control characters as commands: they change
// its title, fill the clipboard, color rows or overwrite them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace rankscope {

/// Returns the number of bytes of the UTF-8 character that `text` begins with; 0 if it begins with none.
std::size_t characterBytes(std::string_view text);

/// Returns the text as one line: line ends and tabs become a space. Everything else that a terminal would obey (ESC,
/// BEL, CR, the C1 set, marks that change the text direction) and bytes that are not UTF-8 become '?'.
std::string printableLine(std::string_view text);

/// Does the same for text of several lines: line ends and tabs stay.
std::string printable(std::string_view text);

/// Returns the JSON with such characters escaped in JSON's own way, so that the values stay the same.
std::string printableJson(std::string_view json);

} // namespace rankscope
