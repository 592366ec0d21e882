// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/config/recipe/text_change.h"

#include <algorithm>

namespace rankscope::ui {

std::string TextChange::apply(const std::string& text) const {
    std::string out = text;
    out.replace(offset, removed.size(), inserted);
    return out;
}

static bool continuation(char c) {
    return (static_cast<unsigned char>(c) & 0xc0u) == 0x80u;
}

TextChange changeBetween(std::string_view before, std::string_view after) {
    const std::size_t shorter = std::min(before.size(), after.size());
    std::size_t prefix = 0;
    while (prefix < shorter && before[prefix] == after[prefix])
        ++prefix;
    // back to the start of the UTF-8 sequence in which they differ
    while (prefix > 0 && ((prefix < before.size() && continuation(before[prefix])) ||
                          (prefix < after.size() && continuation(after[prefix]))))
        --prefix;
    std::size_t suffix = 0;
    while (suffix < shorter - prefix && before[before.size() - 1 - suffix] == after[after.size() - 1 - suffix])
        ++suffix;
    while (suffix > 0 && continuation(before[before.size() - suffix]))
        --suffix;
    return {prefix, std::string(before.substr(prefix, before.size() - prefix - suffix)),
            std::string(after.substr(prefix, after.size() - prefix - suffix))};
}

std::string withLineFeeds(std::string_view bytes) {
    std::string out;
    out.reserve(bytes.size());
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        if (bytes[i] != '\r') {
            out += bytes[i];
            continue;
        }
        out += '\n';
        if (i + 1 < bytes.size() && bytes[i + 1] == '\n')
            ++i;
    }
    return out;
}

std::string_view lineEnd(std::string_view bytes) {
    std::size_t crlf = 0, lf = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i)
        if (bytes[i] == '\n')
            ++(i > 0 && bytes[i - 1] == '\r' ? crlf : lf);
    return crlf > lf ? "\r\n" : "\n";
}

/// Returns the offset in `bytes` of the character at `shown` in withLineFeeds(bytes).
static std::size_t byteOffset(std::string_view bytes, std::size_t shown) {
    std::size_t i = 0;
    for (std::size_t n = 0; n < shown && i < bytes.size(); ++n)
        i += bytes[i] == '\r' && i + 1 < bytes.size() && bytes[i + 1] == '\n' ? 2 : 1;
    return i;
}

TextChange toBytes(const TextChange& shown, std::string_view bytes) {
    const std::size_t begin = byteOffset(bytes, shown.offset);
    const std::size_t end = byteOffset(bytes, shown.offset + shown.removed.size());
    const std::string_view eol = lineEnd(bytes);
    std::string inserted;
    for (char c : shown.inserted) {
        if (c == '\n')
            inserted += eol;
        else
            inserted += c;
    }
    return {begin, std::string(bytes.substr(begin, end - begin)), inserted};
}

} // namespace rankscope::ui
