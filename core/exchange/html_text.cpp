// SPDX-License-Identifier: Apache-2.0
#include "core/exchange/html_text.h"

#include <cstdint>

namespace rankscope::exchange {

/// Bytes of the character that begins with `lead`; 0: none does.
static std::size_t characterBytes(std::uint8_t lead) {
    if (lead == 0)
        return 0;
    if (lead < 0x80)
        return 1;
    if (lead < 0xC2)
        return 0;
    return lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : lead < 0xF5 ? 4 : 0;
}

/// What the lead byte leaves open: overlong forms, surrogates, beyond U+10FFFF.
static bool secondFits(std::uint8_t lead, std::uint8_t second) {
    if (lead == 0xE0)
        return second >= 0xA0;
    if (lead == 0xED)
        return second < 0xA0;
    if (lead == 0xF0)
        return second >= 0x90;
    return lead != 0xF4 || second < 0x90;
}

std::string cleanText(std::string_view text) {
    std::string clean;
    clean.reserve(text.size());
    for (std::size_t i = 0; i < text.size();) {
        const auto lead = static_cast<std::uint8_t>(text[i]);
        const std::size_t size = characterBytes(lead);
        bool whole = size > 0 && i + size <= text.size();
        for (std::size_t k = 1; whole && k < size; ++k)
            whole = (static_cast<std::uint8_t>(text[i + k]) & 0xC0) == 0x80;
        whole = whole && (size == 1 || secondFits(lead, static_cast<std::uint8_t>(text[i + 1])));
        clean += whole ? text.substr(i, size) : "?";
        i += whole ? size : 1;
    }
    return clean;
}

std::string html(std::string_view text) {
    std::string escaped;
    for (const char c : cleanText(text)) {
        switch (c) {
        case '&':
            escaped += "&amp;";
            break;
        case '<':
            escaped += "&lt;";
            break;
        case '>':
            escaped += "&gt;";
            break;
        case '"':
            escaped += "&quot;";
            break;
        case '\'':
            escaped += "&#39;";
            break;
        default:
            escaped += c;
        }
    }
    return escaped;
}

} // namespace rankscope::exchange
