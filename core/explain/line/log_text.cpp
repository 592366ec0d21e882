// SPDX-License-Identifier: Apache-2.0
#include "core/explain/line/log_text.h"

#include <algorithm>

namespace rankscope::explain {

/// Returns the number of bytes of the terminal's command that begins with the ESC at `at`.
static std::size_t commandBytes(std::string_view row, std::size_t at, bool& moves) {
    constexpr std::size_t kLongest = 4'096;
    moves = false;
    if (at + 1 >= row.size())
        return 1;
    const char kind = row[at + 1];
    std::size_t end = at + 2;
    const std::size_t most = std::min(row.size(), at + kLongest);
    if (kind == '[') {
        while (end < most && (row[end] < 0x40 || row[end] > 0x7E) && row[end] >= 0x20)
            ++end;
        if (end < most) {
            moves = std::string_view("ABEFGHJd").find(row[end]) != std::string_view::npos;
            ++end;
        }
        return end - at;
    }
    if (kind == ']' || kind == 'P' || kind == '_' || kind == '^') { // up to BEL or ESC \.
        for (; end < most; ++end) {
            if (row[end] == '\a')
                return end + 1 - at;
            if (row[end] == '\x1b' && end + 1 < row.size() && row[end + 1] == '\\')
                return end + 2 - at;
        }
        return 2; // it does not end: its text stays
    }
    return 2;
}

std::string withoutTerminalCommands(std::string_view row) {
    std::string out;
    out.reserve(row.size());
    for (std::size_t at = 0; at < row.size();) {
        const char c = row[at];
        if (c == '\x1b') {
            bool moves = false;
            at += commandBytes(row, at, moves);
            if (moves)
                out += '\r';
            continue;
        }
        if (static_cast<unsigned char>(c) >= 0x20 || c == '\t' || c == '\r')
            out += c == '\x7f' ? ' ' : c;
        ++at;
    }
    return out;
}

void DenseText::append(std::string_view row) {
    if (m_begun)
        m_rowEnds.push_back(m_text.size());
    m_begun = true;
    for (const char c : row)
        if (static_cast<unsigned char>(c) > ' ')
            m_text += c;
}

void DenseText::clear() {
    m_text.clear();
    m_rowEnds.clear();
    m_begun = false;
}

std::size_t DenseText::rowAt(std::size_t offset) const {
    return static_cast<std::size_t>(std::upper_bound(m_rowEnds.begin(), m_rowEnds.end(), offset) - m_rowEnds.begin());
}

std::string_view DenseText::restOfRow(std::size_t begin) const {
    const auto end = std::upper_bound(m_rowEnds.begin(), m_rowEnds.end(), begin);
    return std::string_view(m_text).substr(begin, (end == m_rowEnds.end() ? m_text.size() : *end) - begin);
}

std::string_view DenseText::lastNumber(std::size_t begin, std::size_t end) const {
    const std::string_view text(m_text);
    auto row = std::upper_bound(m_rowEnds.begin(), m_rowEnds.end(), begin);
    std::size_t stop = end;
    for (; row != m_rowEnds.end() && *row < end; ++row) {
        const std::size_t nextRowEnd = row + 1 == m_rowEnds.end() ? text.size() : row[1];
        if (nextRowEnd > end) { // the row behind this one holds more than digits
            stop = *row;
            break;
        }
    }
    return text.substr(begin, stop - begin);
}

} // namespace rankscope::explain
