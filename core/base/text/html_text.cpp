// SPDX-License-Identifier: Apache-2.0
#include "core/base/text/html_text.h"

#include "core/base/text/terminal_safe.h"

namespace rankscope {

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
    constexpr std::string_view kSpecial = "&<>\"'";
    constexpr std::string_view kEntities[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};
    std::string escaped;
    for (const char c : printable(text))
        if (const auto at = kSpecial.find(c); at != std::string_view::npos)
            escaped += kEntities[at];
        else
            escaped += c;
    return escaped;
}

} // namespace rankscope
