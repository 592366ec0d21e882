// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rankscope::ctl {

/// Columns that a terminal needs for UTF-8 text: a Chinese character takes two, a combining mark none.
int displayWidth(std::string_view text);

/// Text in aligned columns, two spaces apart; numbers go to the right. Whatever a cell holds, it is one line of one
/// cell.
class Table {
public:
    enum class Align { Left, Right };
    explicit Table(std::vector<std::pair<std::string, Align>> header) : m_header(std::move(header)) {}
    void add(std::vector<std::string> row);
    std::string text() const;

private:
    std::vector<std::pair<std::string, Align>> m_header;
    std::vector<std::vector<std::string>> m_rows;
};

/// The terminal's columns; `otherwise` when stdout is none.
int terminalWidth(int fd, int otherwise);

} // namespace rankscope::ctl
