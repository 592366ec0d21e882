// SPDX-License-Identifier: GPL-3.0-or-later
// Chooses the ranks that are drawn as lines: all if there are few; otherwise the soloed, the pinned, the holders and
// the worst, above a band.
#pragma once

#include "widgets/models/view/run_view.h"

#include <set>
#include <vector>

namespace rankscope::ui {

struct RankChoice {
    int solo = -1; ///< -1: all
    std::set<int> muted;
    std::set<int> pinned; ///< always drawn as lines, even among many ranks

    void toggleMute(int rank);
    void togglePin(int rank);
    bool shows(int rank) const { return solo >= 0 ? rank == solo : !muted.contains(rank); }
    friend bool operator==(const RankChoice&, const RankChoice&) = default;
};

struct ShownLines {
    std::vector<int> ranks;
    bool band = false;
};
ShownLines chooseLines(const RankChoice& choice, const RunView& view, int maxLines);

} // namespace rankscope::ui
