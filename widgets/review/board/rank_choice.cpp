// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/review/board/rank_choice.h"

#include <algorithm>

namespace rankscope::ui {

namespace {
constexpr std::size_t kWorst = 3;
}

void RankChoice::toggleMute(int rank) {
    if (!muted.erase(rank))
        muted.insert(rank);
}

void RankChoice::togglePin(int rank) {
    if (!pinned.erase(rank))
        pinned.insert(rank);
}

ShownLines chooseLines(const RankChoice& choice, const RunView& view, int maxLines) {
    ShownLines lines;
    const int n = static_cast<int>(view.ranks.size());
    lines.band = n > maxLines;
    if (choice.solo >= 0) {
        lines.ranks = {choice.solo};
        return lines;
    }
    std::vector<int> wanted;
    if (!lines.band) {
        for (int r = 0; r < n; ++r)
            wanted.push_back(r);
    } else {
        wanted.assign(choice.pinned.begin(), choice.pinned.end());
        for (const auto& in : view.incidents)
            if (in.closed == diagnosis::CloseReason::Open)
                wanted.insert(wanted.end(), in.holders.begin(), in.holders.end());
        auto worst = view.summaries;
        std::stable_sort(worst.begin(), worst.end(), [](const auto& a, const auto& b) { return a.heldNs > b.heldNs; });
        for (std::size_t i = 0; i < std::min(kWorst, worst.size()); ++i)
            if (worst[i].heldNs > 0)
                wanted.push_back(worst[i].rank);
    }
    for (const int r : wanted)
        if (r < n && choice.shows(r) && static_cast<int>(lines.ranks.size()) < maxLines &&
            std::find(lines.ranks.begin(), lines.ranks.end(), r) == lines.ranks.end())
            lines.ranks.push_back(r);
    std::sort(lines.ranks.begin(), lines.ranks.end());
    return lines;
}

} // namespace rankscope::ui
