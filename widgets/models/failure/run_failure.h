// SPDX-License-Identifier: GPL-3.0-or-later
// Says why a run failed, as facts: which rank failed first, which ones followed, where, and which incident reports it.
#pragma once

#include "widgets/models/view/run_view.h"

#include <QString>

#include <optional>
#include <vector>

namespace rankscope::ui {

struct RunFailure {
    launch::EndKind kind = launch::EndKind::Other; ///< never None
    int culprit = -1;                              ///< rank; -1: none
    std::vector<int> victims;                      ///< ranks that ended as a consequence
    std::int64_t step = -1;                        ///< in which it happened; -1: before the first, or not known
    bool beforeFirstStep = false;
    std::int64_t incident = 0; ///< 0: none reports it

    friend bool operator==(const RunFailure&, const RunFailure&) = default;
};

/// Returns why the run failed; none: it did not fail, or is still running.
std::optional<RunFailure> failureOf(const RunView& view);

/// Returns the incident that ended the run, if one did: that of the rank at fault, otherwise the first death. If the
/// loss was NaN to the end, it is the incident in which that began.
const diagnosis::Incident* fatalIncident(const RunView& view);

/// Returns the tile of a rank whose run has ended. It is made from the store alone: the board no longer exists. Pure.
/// `incidents`: all of the run; a rank that one of them calls dead gets the cause of its exit. `culprit`: the rank
/// at fault; -1: none. The others ended as a consequence.
diagnosis::RankStatus endedStatus(const store::RankSummary& summary, launch::RunState state,
                                  const std::vector<diagnosis::Incident>& incidents, int culprit = -1);

} // namespace rankscope::ui
