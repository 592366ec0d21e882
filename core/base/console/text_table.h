// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/console/console.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rankscope {

/// Returns the columns that a terminal needs for UTF-8 text: a Chinese character takes two, a combining mark none.
int displayWidth(std::string_view text);

/// The header of a column.
struct Column {
    template <std::size_t N> Column(const char (&pattern)[N]) : name(pattern) {}
    Column(Message header, bool right = false) : name(std::move(header)), isRight(right) {}
    Message name;
    bool isRight = false; ///< right-aligned, as for numbers
};
inline Column right(Message name) {
    return {std::move(name), true};
}

/// Text in aligned columns, two spaces apart. Any cell content is printed on one line.
class Table {
public:
    /// The table begins `indent` columns from the left.
    explicit Table(std::vector<Column> columns, int indent = 0);
    void add(std::vector<std::string> row);
    std::string text(Language language = console::outputLanguage()) const;

private:
    std::vector<Column> m_columns;
    int m_indent;
    std::vector<std::vector<std::string>> m_rows;
};

/// Returns "label    value" as one line, with the newline. The value begins in the same column below every label.
std::string labelled(const Message& label, const Message& value, int column = 9);

/// Returns the width of the terminal in columns; `otherwise` if `fd` is not a terminal.
int terminalWidth(int fd, int otherwise);

} // namespace rankscope
