// SPDX-License-Identifier: GPL-3.0-or-later
// What a run does at this moment, as one value: header, list of runs, table, window title and notifications say the
// same.
#pragma once

#include "core/diagnosis/evidence/rank_status.h"
#include "core/diagnosis/evidence/run_stall.h"
#include "core/launch/run/run_folder.h"

#include <QString>

#include <cstdint>
#include <span>
#include <vector>

namespace rankscope::ui {

/// The rank mark that a run's state is drawn with.
diagnosis::RankState markOf(launch::RunState state);
QString runStateWord(launch::RunState state);

/// "20 s ago", "4 min ago", "3 h ago", "2 d ago": how long ago a moment of the wall clock was. A live run that began
/// less than a minute ago began "now".
QString ageText(qint64 realtimeNs, qint64 nowNs, bool live);

/// Rounded up to whole seconds: "1 s", "47 s", "7 min 21 s".
QString wholeSecondsText(qint64 ns);

struct RunNow {
    launch::RunState state = launch::RunState::Finished;
    launch::SupervisorLife supervisor = launch::SupervisorLife::Gone;
    std::vector<int> stalled;         ///< ranks that hold the run up now, ascending; empty: none does
    std::int64_t sinceNs = 0;         ///< monotonic: when the oldest of these stalls began
    std::int64_t notFiniteSince = -1; ///< step since which the loss is NaN and stays so; -1: it is finite
    std::int64_t behindSinceNs = 0; ///< monotonic: from when on the store is older than what the ranks do; 0: it is not
    bool sameClock = true;          ///< false: the run's monotonic times are another machine's

    /// Pure but for the boot's id. `incidents`: all of the run, or those that are open.
    static RunNow of(const launch::RunInfo& info, std::span<const diagnosis::Incident> incidents,
                     std::int64_t behindSinceNs = 0);

    bool isLive() const { return launch::isLive(state); }
    bool isBehind() const { return behindSinceNs > 0; }
    /// A stall that is stored is not told while nothing newer is: it may be over.
    bool isStalled() const { return !stalled.empty() && !isBehind(); }
    diagnosis::RankState mark() const;
    /// "running", "stalled 47 s, rank 1", "running, loss NaN since step 20", "running, nothing stored for 12 s".
    QString words(std::int64_t nowNs) const;
    /// Why a live run has neither a rate nor a time left that would be true; empty: it has.
    QString whyNoRate(std::int64_t nowNs) const;
    friend bool operator==(const RunNow&, const RunNow&) = default;
};

using diagnosis::isStall;
using diagnosis::rateNow;

} // namespace rankscope::ui
