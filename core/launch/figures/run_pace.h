// SPDX-License-Identifier: Apache-2.0
// How fast a live run trains now, and how much of it is left: the window's header, `launch`, `watch` and `show` use the
// same figures. While a run is stalled or its store is behind, they mean nothing and are not shown.
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

/// Number of newest steps that the pace is computed from.
inline constexpr std::int64_t kPaceSteps = 20;

/// The speed of a live run over its newest steps.
struct RunPace {
    diagnosis::Pace steps;
    double audioPerStep = 0; ///< seconds of speech that all ranks train on in a step, without padding; 0: unknown

    /// Returns the seconds of speech per second at this rate; 0: unknown.
    double audioPerSecond(double stepsPerSecond) const { return audioPerStep * stepsPerSecond; }
};

/// Returns the pace of the steps that all ranks have finished. `sampleRate` 0: unknown; the amount of audio is then
/// unknown as well. Figures that the store does not hold are 0.
RunPace readPace(store::RunReader& reader, std::span<const store::RankSummary> ranks,
                 std::span<const diagnosis::Incident> incidents, double sampleRate);

/// Returns the sample rate of the run's effective recipe; 0: the recipe cannot be read.
double sampleRateOf(const RunPaths& run);
/// Returns the steps per epoch from rank 0's board; 0: the board does not give them.
std::int64_t stepsPerEpochOf(const RunPaths& run);
/// Returns the number, from 0, of the epoch that the next step belongs to; none: unknown.
std::optional<std::int64_t> epochAfter(std::int64_t stepsDone, std::int64_t stepsPerEpoch);
/// Returns the steps until that epoch, or the run, ends; 0: unknown, or none is left.
std::int64_t leftOfEpoch(std::int64_t stepsDone, std::int64_t stepsPerEpoch, std::int64_t totalSteps);

/// Returns how long the steps take at this rate, in ns; 0: unknown.
std::int64_t timeOf(std::int64_t steps, double stepsPerSecond);
/// Returns "0.42 h of audio/s", or "12.3 x real time" if that would be 0.00; empty: unknown.
std::string audioRateText(double audioPerSecond);

} // namespace rankscope::launch
