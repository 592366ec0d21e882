// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <re2/stringpiece.h>

#include <string_view>

namespace rankscope::explain {

/// Returns what a pattern's group matched; empty if it took no part.
inline std::string_view matchedText(const re2::StringPiece& group) {
    return {group.data(), group.size()};
}

} // namespace rankscope::explain
