// SPDX-License-Identifier: Apache-2.0
// Waits of a live run that go on, which no record tells of yet.
#pragma once

#include "core/diagnosis/stalls/stall_scan.h"
#include "core/launch/run/run_folder.h"
#include "core/store/read/fact_reader.h"
#include "core/store/report/lost_time.h"

#include <cstdint>
#include <span>
#include <vector>

namespace rankscope::launch {

/// Shorter ones are over before they could be read.
inline constexpr std::int64_t kShownWaitNs = 200'000'000;

/// Returns the waits that the boards of a live run show; none of a run whose processes cannot be seen from here, as
/// its clock is another one. `nowNs` is monotonic.
std::vector<diagnosis::OpenWait> readOpenWaits(const RunPaths& run, const RunInfo& info, std::int64_t nowNs);

/// Adds the waits as far as they have come to what the ranks waited and held others.
void addOpenWaits(std::span<const diagnosis::OpenWait> waits, std::int64_t nowNs, std::span<store::RankSummary> ranks);

/// Adds them to what a run of these ranks has lost: during a long stall they are most of it. `startNs`, monotonic: of
/// the run.
void addOpenWaits(std::span<const diagnosis::OpenWait> waits, std::int64_t nowNs, std::int64_t startNs,
                  std::span<const store::RankSummary> ranks, store::LostTime& lost);

} // namespace rankscope::launch
