// SPDX-License-Identifier: GPL-3.0-or-later
// The current state of a run as one value, so that the header, list of runs, table, window title and notifications all
// say the same.
#pragma once

#include "core/diagnosis/evidence/rank_status.h"
#include "core/diagnosis/evidence/run_stall.h"
#include "core/launch/run/run_folder.h"

#include <QString>

#include <cstdint>
#include <span>
#include <vector>

namespace rankscope::ui {

/// Returns the rank mark that represents a run's state.
diagnosis::RankState markOf(launch::RunState state);
QString runStateWord(launch::RunState state);

/// Returns how long ago a moment of the wall clock was: "20 s ago", "4 min ago", "3 h ago", "2 d ago". A live run that
/// began less than a minute ago began "now".
QString ageText(qint64 realtimeNs, qint64 nowNs, bool live);

/// Returns the time rounded up to whole seconds: "1 s", "47 s", "7 min 21 s".
QString wholeSecondsText(qint64 ns);

struct RunStatus {
    launch::RunState state = launch::RunState::Finished;
    launch::SupervisorLife supervisor = launch::SupervisorLife::Gone;
    std::vector<int> stalled;         ///< ranks that are holding the run up now, ascending; empty: none
    std::int64_t sinceNs = 0;         ///< monotonic: when the oldest of these stalls began
    std::int64_t notFiniteSince = -1; ///< step since which the loss has been NaN; -1: it is finite
    /// Monotonic: since when the store has been older than the ranks' state; 0: it is not.
    std::int64_t behindSinceNs = 0;
    bool sameClock = true; ///< false: the run's monotonic times are from another machine

    /// Returns the state of a run. Pure except for the boot's id. `incidents`: all of the run, or only the open ones.
    static RunStatus of(const launch::RunInfo& info, std::span<const diagnosis::Incident> incidents,
                        std::int64_t behindSinceNs = 0);

    bool isLive() const { return launch::isLive(state); }
    bool isBehind() const { return behindSinceNs > 0; }
    /// Returns whether the run is stalled. While the store lags, a stored stall does not count: it may be over.
    bool isStalled() const { return !stalled.empty() && !isBehind(); }
    diagnosis::RankState mark() const;
    /// Returns "running", "stalled 47 s, rank 1", "running, loss NaN since step 20", "running, nothing recorded for
    /// 12 s".
    QString words(std::int64_t nowNs) const;
    /// Returns why a live run has neither a meaningful rate nor time left; empty: it has.
    QString whyNoRate(std::int64_t nowNs) const;
    friend bool operator==(const RunStatus&, const RunStatus&) = default;
};

using diagnosis::isStall;
using diagnosis::rateNow;

} // namespace rankscope::ui
