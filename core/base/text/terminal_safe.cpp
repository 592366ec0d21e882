// SPDX-License-Identifier: Apache-2.0
#include "core/base/text/terminal_safe.h"

#include <fmt/format.h>

#include <cstdint>

namespace rankscope {

/// Rejects what the lead byte alone does not rule out: overlong forms, surrogates, code points beyond U+10FFFF.
static bool secondByteFits(std::uint8_t lead, std::uint8_t second) {
    if (lead == 0xE0)
        return second >= 0xA0;
    if (lead == 0xED)
        return second < 0xA0;
    if (lead == 0xF0)
        return second >= 0x90;
    return lead != 0xF4 || second < 0x90;
}

std::size_t characterBytes(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
    if (text.empty())
        return 0;
    const std::uint8_t lead = byte(0);
    if (lead < 0x80)
        return 1;
    const std::size_t size = lead < 0xC2 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : lead < 0xF5 ? 4 : 0;
    if (size == 0 || size > text.size() || !secondByteFits(lead, byte(1)))
        return 0;
    for (std::size_t i = 1; i < size; ++i)
        if ((byte(i) & 0xC0) != 0x80)
            return 0;
    return size;
}

static char32_t codePointOf(std::string_view character) {
    const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(character[i]); };
    char32_t c = character.size() == 1   ? byte(0)
                 : character.size() == 2 ? byte(0) & 0x1F
                 : character.size() == 3 ? byte(0) & 0x0F
                                         : byte(0) & 0x07;
    for (std::size_t i = 1; i < character.size(); ++i)
        c = c << 6 | (byte(i) & 0x3F);
    return c;
}

/// Returns whether a terminal would obey the character; line ends and tabs count.
static bool isCommand(char32_t c) {
    const bool control = c < 0x20 || (c >= 0x7F && c < 0xA0);
    const bool lineEnd = c == 0x2028 || c == 0x2029;
    const bool turnsDirection = (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
    return control || lineEnd || turnsDirection;
}

/// Copies `text`; `instead(code point)` returns the replacement for a command, and `instead(0xFFFFFFFF)` that for a
/// byte that is not UTF-8.
template <class Instead> static std::string replaced(std::string_view text, Instead&& instead) {
    constexpr char32_t kNoCharacter = 0xFFFFFFFF;
    std::string out;
    out.reserve(text.size());
    while (!text.empty()) {
        const std::size_t size = characterBytes(text);
        const char32_t c = size > 0 ? codePointOf(text.substr(0, size)) : kNoCharacter;
        if (c == kNoCharacter || isCommand(c))
            out += instead(c);
        else
            out += text.substr(0, size);
        text.remove_prefix(size > 0 ? size : 1);
    }
    return out;
}

std::string printableLine(std::string_view text) {
    return replaced(text, [](char32_t c) { return c == '\n' || c == '\t' || c == '\r' ? ' ' : '?'; });
}

std::string printable(std::string_view text) {
    return replaced(text, [](char32_t c) { return c == '\n' || c == '\t' ? static_cast<char>(c) : '?'; });
}

std::string printableJson(std::string_view json) {
    return replaced(json, [](char32_t c) {
        if (c == '\n' || c == '\t')
            return std::string(1, static_cast<char>(c));
        return c > 0xFFFF ? std::string("?") : fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    });
}

} // namespace rankscope
