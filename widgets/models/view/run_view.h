// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/diagnosis/evidence/rank_status.h"
#include "core/diagnosis/model/incident.h"
#include "core/diagnosis/stalls/stall_scan.h"
#include "core/launch/figures/store_lag.h"
#include "core/launch/run/run_folder.h"
#include "core/store/read/run_reader.h"
#include "core/store/report/check_summary.h"
#include "core/store/report/lost_time.h"
#include "widgets/models/view/run_lineage.h"

#include <QString>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace rankscope::ui {

struct RankTile {
    int rank = 0;
    diagnosis::RankStatus status;
    std::int64_t step = -1;                          ///< live: the step it works on; otherwise the newest recorded
    telemetry::Phase phase = telemetry::Phase::None; ///< live: what its training thread is doing
    std::int64_t phaseSinceNs = 0;                   ///< monotonic, measured by the rank
};

/// What header, banner and board show; a value, sent whole after a change (at most 10 times a second).
struct RunView {
    static constexpr int kMostRanksShown = 4096;

    launch::RunInfo info;
    bool resumable = false;          ///< it ended before it was done and has a checkpoint
    std::int64_t goneRealtimeNs = 0; ///< when its folder was found gone; 0: not gone. The rest is from before
    QString problem;                 ///< not empty: what is damaged or missing, and what to do
    std::vector<RankTile> ranks;
    std::vector<diagnosis::Incident> incidents; ///< all, oldest first
    telemetry::ProcessGroups groups;            ///< of some of the ranks, as far as they have reported them
    /// Waits that no record reports: those in progress, or those that the end of the run cut off.
    std::vector<diagnosis::OpenWait> openWaits;
    std::int64_t openUntilNs = 0;        ///< monotonic; up to when the open waits lasted
    std::optional<launch::StoreLag> lag; ///< live: the store is behind the ranks
    std::vector<store::RankSummary> summaries;
    std::vector<store::ValidationRow> validations; ///< of rank 0, which reports the mean of all; oldest first
    std::vector<store::CheckSummary> checks;       ///< before and at the start
    /// Times in which no supervisor watched the ranks, in order, ns since the run's start: incidents may be missing.
    std::vector<diagnosis::TimeSpan> unwatched;
    store::LostTime lost;           ///< including a live run's waits in progress; no steps: not known
    RunChainPtr chain;              ///< the runs it was resumed from; null: none, or not known yet
    QString chainProblem;           ///< not empty: why not all of the earlier runs can be shown
    bool hasBatchSizes = false;     ///< so that its samples can be counted
    bool waitsAreSums = false;      ///< an older version added up overlapping waits
    std::int64_t step = -1;         ///< newest step that all ranks finished; by their boards if the store lags
    double stepsPerSecond = 0;      ///< over the newest steps and the time since the last one; 0 unknown
    double audioPerSecond = 0;      ///< seconds of speech that all ranks train on per second; 0 unknown
    std::int64_t stepsPerEpoch = 0; ///< of a live run; 0: not known
    std::int64_t nowNs = 0;         ///< monotonic, when the view was made
    std::int64_t knownNs = 0;       ///< monotonic; time up to which the state of open incidents is known: at most nowNs
    std::int64_t storeVersion = 0;
    std::int64_t stepsVersion = 0; ///< changes with the measured steps; 0: nothing was read yet

    /// Returns the number of ranks to show. run.json is not trusted: its world size is clamped.
    int shownRanks() const { return std::clamp(info.worldSize, 0, kMostRanksShown); }
    /// Returns since when (monotonic) the store has been older than the ranks' state; 0: it is not.
    std::int64_t behindSinceNs() const { return !lag ? 0 : lag->sinceNs > 0 ? lag->sinceNs : nowNs; }
};
using RunViewPtr = std::shared_ptr<const RunView>;

} // namespace rankscope::ui
