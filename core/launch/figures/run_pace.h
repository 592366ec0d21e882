// SPDX-License-Identifier: Apache-2.0
// How fast a live run trains now, and what is left of it: the window's header, `launch`, `watch` and `show` reckon with
// the same figures. Of a run that stands still, or whose store is behind, none of them is true: they are not shown.
#pragma once

#include "core/diagnosis/evidence/run_stall.h"
#include "core/launch/run/run_folder.h"
#include "core/store/read/run_reader.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace rankscope::launch {

/// The newest steps that count.
inline constexpr std::int64_t kPaceSteps = 20;

struct RunPace {
    diagnosis::Pace steps;
    double audioPerStep = 0; ///< seconds of speech that all ranks train on in a step, without padding; 0: not known

    double audioPerSecond(double stepsPerSecond) const { return audioPerStep * stepsPerSecond; }
};

/// Of steps that all ranks have ended. `sampleRate` 0: not known, and so is the audio. What the store cannot say is
/// left 0.
RunPace readPace(store::RunReader& reader, std::span<const store::RankSummary> ranks,
                 std::span<const diagnosis::Incident> incidents, double sampleRate);

/// Of the run's effective recipe; 0: it cannot be read.
double sampleRateOf(const RunPaths& run);
/// As rank 0's board says; 0: it does not.
std::int64_t stepsPerEpochOf(const RunPaths& run);
/// Of the epoch that the next step belongs to, from 0; none: not known.
std::optional<std::int64_t> epochAfter(std::int64_t stepsDone, std::int64_t stepsPerEpoch);
/// Steps until that epoch, or the run, ends; 0: not known, or none is left.
std::int64_t leftOfEpoch(std::int64_t stepsDone, std::int64_t stepsPerEpoch, std::int64_t totalSteps);

/// Steps at this rate; 0: not known.
std::int64_t timeOf(std::int64_t steps, double stepsPerSecond);
/// "0.42 h of audio/s", or "12.3 x real time" where that would be 0.00; empty: not known.
std::string audioRateText(double audioPerSecond);

} // namespace rankscope::launch
