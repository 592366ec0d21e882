// SPDX-License-Identifier: Apache-2.0
// Whether the whole run stands still for a reason outside of it: its processes are stopped or frozen, or the machine is
// suspended.
#pragma once

#include "core/diagnosis/model/active_clock.h"
#include "core/diagnosis/model/observation.h"

#include <optional>
#include <string_view>

namespace rankscope::diagnosis {

/// What stood still, as the evidence of a pause names it: all ranks, supervisor and ranks, or the machine.
inline constexpr std::string_view kRanksPaused = "ranks", kRunPaused = "run", kMachinePaused = "machine";

/// True when the run has several ranks and the processes of all of them are stopped.
bool areAllStopped(const Observation& observation);

/// Returns the stretch, up to the time of this observation, in which no rank did anything: all are stopped, or nobody
/// watched them and nothing that they tell happened then. All times are monotonic.
std::optional<ActiveClock::Pause> findPause(const Observation& observation);

} // namespace rankscope::diagnosis
