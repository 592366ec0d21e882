// SPDX-License-Identifier: Apache-2.0
#include "core/base/console/text_table.h"

#include "core/base/text/terminal_safe.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>

namespace rankscope {

static char32_t decode(std::string_view text, std::size_t& at) {
    const auto lead = static_cast<unsigned char>(text[at++]);
    int more = lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : lead >= 0xc0 ? 1 : 0;
    char32_t c = lead >= 0xf0 ? lead & 0x07 : lead >= 0xe0 ? lead & 0x0f : lead >= 0xc0 ? lead & 0x1f : lead;
    for (; more > 0 && at < text.size() && (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80; --more)
        c = (c << 6) | (static_cast<unsigned char>(text[at++]) & 0x3f);
    return c;
}

static int widthOf(char32_t c) {
    if ((c >= 0x0300 && c <= 0x036f) || (c >= 0x200b && c <= 0x200f) || c == 0xfe0f)
        return 0;
    const bool wide = (c >= 0x1100 && c <= 0x115f) || (c >= 0x2e80 && c <= 0xa4cf) || (c >= 0xac00 && c <= 0xd7a3) ||
                      (c >= 0xf900 && c <= 0xfaff) || (c >= 0xfe30 && c <= 0xfe6f) || (c >= 0xff00 && c <= 0xff60) ||
                      (c >= 0xffe0 && c <= 0xffe6) || (c >= 0x1f300 && c <= 0x1faff) || (c >= 0x20000 && c <= 0x3fffd);
    return wide ? 2 : 1;
}

int displayWidth(std::string_view text) {
    int width = 0;
    for (std::size_t at = 0; at < text.size();)
        width += widthOf(decode(text, at));
    return width;
}

static std::string padding(int width, std::string_view text) {
    return std::string(static_cast<std::size_t>(std::max(0, width - displayWidth(text))), ' ');
}

Table::Table(std::vector<Column> columns, int indent) : m_columns(std::move(columns)), m_indent(indent) {}

void Table::add(std::vector<std::string> row) {
    for (std::string& cell : row)
        cell = printableLine(cell);
    row.resize(m_columns.size());
    m_rows.push_back(std::move(row));
}

std::string Table::text(Language language) const {
    std::vector<std::string> header;
    for (const Column& column : m_columns)
        header.push_back(printableLine(column.name.text(language)));
    std::vector<int> widths;
    for (std::size_t c = 0; c < header.size(); ++c) {
        widths.push_back(displayWidth(header[c]));
        for (const auto& row : m_rows)
            widths[c] = std::max(widths[c], displayWidth(row[c]));
    }
    std::string out;
    const auto line = [&](const std::vector<std::string>& cells) {
        std::string text(static_cast<std::size_t>(m_indent), ' ');
        for (std::size_t c = 0; c < cells.size(); ++c) {
            const std::string pad = padding(widths[c], cells[c]);
            text += (c ? "  " : "") + (m_columns[c].isRight ? pad + cells[c] : cells[c] + pad);
        }
        text.erase(text.find_last_not_of(' ') + 1);
        out += text + '\n';
    };
    line(header);
    for (const auto& row : m_rows)
        line(row);
    return out;
}

std::string labelled(const Message& label, const Message& value, int column) {
    const std::string name = console::text(label);
    return name + padding(column, name) + console::text(value) + "\n";
}

int terminalWidth(int fd, int otherwise) {
    winsize size{};
    return ::ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : otherwise;
}

} // namespace rankscope
