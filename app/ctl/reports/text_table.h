// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rankscope::ctl {

/// Returns the columns that a terminal needs for UTF-8 text: a Chinese character takes two, a combining mark none.
int displayWidth(std::string_view text);

/// Text in aligned columns, two spaces apart. Any cell content is printed on one line.
class Table {
public:
    /// Takes the columns' headers. A leading '>', which is not shown, right-aligns the column, as for numbers.
    explicit Table(std::vector<std::string> columns);
    void add(std::vector<std::string> row);
    std::string text() const;

private:
    std::vector<std::string> m_header;
    std::vector<bool> m_right; ///< by column: right-aligned
    std::vector<std::vector<std::string>> m_rows;
};

/// Returns the width of the terminal in columns; `otherwise` if `fd` is not a terminal.
int terminalWidth(int fd, int otherwise);

} // namespace rankscope::ctl
