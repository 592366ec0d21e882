// SPDX-License-Identifier: GPL-3.0-or-later
// Which lines two texts do not share: as few as possible (Myers), or plain blocks where that would take too long.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rankscope::ui {

struct DiffLine {
    enum class Kind { Same, Removed, Added } kind = Kind::Same;
    int oldLine = 0, newLine = 0; ///< from 1; 0: not in that text
    std::string text;             ///< without its end
    bool operator==(const DiffLine&) const = default;
};

std::vector<DiffLine> lineDiff(std::string_view before, std::string_view after);

/// Only what differs, with `context` lines around it; a line of kind Same with both numbers 0 stands for what is left
/// out.
std::vector<DiffLine> hunks(const std::vector<DiffLine>& lines, int context);

} // namespace rankscope::ui
