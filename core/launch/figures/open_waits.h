// SPDX-License-Identifier: Apache-2.0
// Waits that no record reports: those of a live run in progress, and those that lasted until the run ended.
#pragma once

#include "core/diagnosis/model/active_clock.h"
#include "core/diagnosis/model/incident.h"
#include "core/diagnosis/stalls/stall_scan.h"
#include "core/launch/run/run_folder.h"
#include "core/store/read/fact_reader.h"
#include "core/store/report/lost_time.h"
#include "core/store/waits/wait_report.h"

#include <cstdint>
#include <span>
#include <vector>

namespace rankscope::launch {

/// Shorter waits are over before anyone could read them.
inline constexpr std::int64_t kShownWaitNs = 200'000'000;

/// Returns the waits that the boards of a live run show; none for a run whose processes cannot be seen from here,
/// because its clock is a different one. `nowNs` is monotonic.
std::vector<diagnosis::OpenWait> readOpenWaits(const RunPaths& run, const RunInfo& info,
                                               const telemetry::ProcessGroups& groups, std::int64_t nowNs);

/// Returns the monotonic clock without the pauses that these incidents report; one that is open lasts until now.
diagnosis::ActiveClock activeClock(std::span<const diagnosis::Incident> incidents, std::int64_t nowNs);

/// Adds the waits, up to now, to the times that the ranks waited and held others up. `clock`: activeClock().
void addOpenWaits(std::span<const diagnosis::OpenWait> waits, std::int64_t nowNs, const diagnosis::ActiveClock& clock,
                  std::span<store::RankSummary> ranks);

/// Adds the waits to the time that a run of these ranks has lost: during a long stall they are most of it. `startNs`:
/// monotonic start of the run.
void addOpenWaits(std::span<const diagnosis::OpenWait> waits, std::int64_t nowNs, const diagnosis::ActiveClock& clock,
                  std::int64_t startNs, std::span<const store::RankSummary> ranks, store::LostTime& lost);

/// Waits that the end of a run cut off.
struct WaitsAtEnd {
    std::vector<diagnosis::OpenWait> waits; ///< at most one of each rank
    std::int64_t endNs = 0;                 ///< monotonic
    diagnosis::ActiveClock clock;           ///< without the pauses of the run
};
/// Returns them as the incidents of an ended run report them. `ranks`: all of the run.
WaitsAtEnd waitsAtEnd(std::span<const diagnosis::Incident> incidents, std::span<const store::RankSummary> ranks);

/// Adds these waits to the figures of the ranks and of the run. `startNs`: monotonic start of the run.
void addWaitsAtEnd(std::span<const diagnosis::Incident> incidents, std::int64_t startNs,
                   std::span<store::RankSummary> ranks, store::LostTime& lost);

/// Adds waits to the report of steps that include theirs. If none of these steps was recorded, the report gets the step
/// of the first wait.
void addWaitsAtEnd(const WaitsAtEnd& atEnd, std::int64_t startNs, store::WaitReport& report);

} // namespace rankscope::launch
