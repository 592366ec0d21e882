// SPDX-License-Identifier: GPL-3.0-or-later
// Goes back and forward through the page's earlier views: window, filter, choice of ranks.
#pragma once

#include "core/store/waits/wait_report.h"
#include "widgets/models/curves/curve_axis.h"
#include "widgets/plots/axes/plot_range.h"
#include "widgets/review/board/rank_choice.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace rankscope::ui {

struct ViewState {
    PlotRange window;
    CurveAxis axis = CurveAxis::Step;
    std::optional<store::StepInterval> filter;
    RankChoice choice;
    friend bool operator==(const ViewState&, const ViewState&) = default;
};

class ViewHistory {
public:
    enum class ViewChange { Move, Filter, Ranks };
    static constexpr std::size_t kMost = 100;
    static constexpr std::int64_t kTogetherMs = 800; ///< moves closer together than this count as one

    /// Records the view before it changes.
    void note(ViewChange kind, const ViewState& before, std::int64_t nowMs);
    /// Returns the earlier state to show, if there is one; keeps `now` so that the user can return to it.
    std::optional<ViewState> back(const ViewState& now);
    std::optional<ViewState> forward(const ViewState& now);
    void clear();

private:
    static std::optional<ViewState> take(std::vector<ViewState>& from, std::vector<ViewState>& to,
                                         const ViewState& now);

    std::vector<ViewState> m_back, m_forward;
    ViewChange m_kind = ViewChange::Move;
    std::int64_t m_lastMs = -kTogetherMs - 1;
};

} // namespace rankscope::ui
