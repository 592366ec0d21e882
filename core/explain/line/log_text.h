// SPDX-License-Identifier: Apache-2.0
// Text of a log without what a terminal obeys, and messages whose rows a terminal or a page wrapped anywhere.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope::explain {

/// Returns a row without terminal escapes and control characters. Movements of the cursor become '\r', because what
/// follows them is another text.
std::string withoutTerminalCommands(std::string_view row);

/// A message without any whitespace, so that it reads the same wherever its rows were broken and whether or not a blank
/// was lost there.
class DenseText {
public:
    void append(std::string_view row);
    void clear();
    const std::string& text() const { return m_text; }

    /// Returns the number that begins at `begin` and ends the message: the digits up to the end of the row, and those
    /// of the rows behind it that hold nothing but digits. `end` is behind the last digit that follows.
    std::string_view lastNumber(std::size_t begin, std::size_t end) const;

    /// Returns the text from `begin` to the end of the row that it is in.
    std::string_view restOfRow(std::size_t begin) const;

    /// Returns the index of the row, counted by calls of append(), that the offset is in.
    std::size_t rowAt(std::size_t offset) const;

private:
    std::string m_text;
    bool m_begun = false;
    std::vector<std::size_t> m_rowEnds; ///< of all rows but the last
};

} // namespace rankscope::explain
