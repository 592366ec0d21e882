// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/explain/log/log_scanner.h"

#include <algorithm>
#include <string>
#include <string_view>

namespace rankscope::explain {

/// Reads a text as one log, given in parts of `atOnce` bytes.
inline HangEvidence scanned(std::string_view text, std::size_t atOnce = 1u << 20) {
    EvidenceCollector collector;
    InputFile file;
    file.name = "train.log";
    collector.beginFile(std::move(file));
    LogScanner scanner(collector);
    for (; !text.empty(); text.remove_prefix(std::min(atOnce, text.size())))
        scanner.feed(text.substr(0, atOnce));
    scanner.finish();
    return collector.finish();
}

/// Breaks a text at every `width` bytes, as a terminal does.
inline std::string wrapped(std::string_view text, std::size_t width) {
    std::string out;
    for (; text.size() > width; text.remove_prefix(width))
        out.append(text.substr(0, width)).append("\n");
    return out.append(text).append("\n");
}

} // namespace rankscope::explain
