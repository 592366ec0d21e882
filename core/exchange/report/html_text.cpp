// SPDX-License-Identifier: Apache-2.0
#include "core/exchange/report/html_text.h"

#include "core/base/text/terminal_safe.h"

namespace rankscope::exchange {

std::string cleanText(std::string_view text) {
    std::string clean;
    clean.reserve(text.size());
    while (!text.empty()) {
        const std::size_t size = text.front() == '\0' ? 0 : characterBytes(text);
        clean += size > 0 ? text.substr(0, size) : "?";
        text.remove_prefix(size > 0 ? size : 1);
    }
    return clean;
}

std::string html(std::string_view text) {
    std::string escaped;
    for (const char c : printable(text)) {
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
