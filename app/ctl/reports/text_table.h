// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rankscope::ctl {

/// Columns that a terminal needs for UTF-8 text: a Chinese character takes two, a combining mark none.
int displayWidth(std::string_view text);

/// Text in aligned columns, two spaces apart. Whatever a cell holds, it is one line of one cell.
class Table {
public:
    /// The columns' headers. A '>' in front of one, which is not shown, puts its cells to the right, as numbers are.
    explicit Table(std::vector<std::string> columns);
    void add(std::vector<std::string> row);
    std::string text() const;

private:
    std::vector<std::string> m_header;
    std::vector<bool> m_right; ///< of each column
    std::vector<std::vector<std::string>> m_rows;
};

/// The terminal's columns; `otherwise` when stdout is none.
int terminalWidth(int fd, int otherwise);

} // namespace rankscope::ctl
