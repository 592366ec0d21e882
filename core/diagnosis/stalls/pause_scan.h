// SPDX-License-Identifier: Apache-2.0
// Finds whether the whole run is paused for a reason outside of it: its processes are stopped or frozen, or the machine
// is suspended.
#pragma once

#include "core/diagnosis/model/active_clock.h"
#include "core/diagnosis/model/observation.h"

#include <optional>
#include <string_view>

namespace rankscope::diagnosis {

/// What was paused, as named in the evidence of a pause: all ranks, supervisor and ranks, or the machine.
inline constexpr std::string_view kRanksPaused = "ranks", kRunPaused = "run", kMachinePaused = "machine";

/// Returns true if the run has several ranks and the processes of all of them are stopped.
bool areAllStopped(const Observation& observation);

/// Returns the interval, up to the time of this observation, in which no rank did anything: all are stopped, or the
/// supervisor did not run and no rank reports anything from that time. All times are monotonic.
std::optional<ActiveClock::Pause> findPause(const Observation& observation);

} // namespace rankscope::diagnosis
