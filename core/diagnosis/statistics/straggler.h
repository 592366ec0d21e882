// SPDX-License-Identifier: Apache-2.0
// Finds ranks that cost the others a little in every step, by sums over the window of steps.
#pragma once

#include "core/diagnosis/statistics/step_window.h"

#include <array>
#include <cstdint>
#include <optional>

namespace rankscope::diagnosis {

struct Straggler {
    int rank = -1;
    telemetry::Phase phase = telemetry::Phase::None; ///< where it spends more time than the others
    std::int64_t heldNs = 0, windowNs = 0;           ///< without its own waits; total of the window's steps
    int steps = 0, lastSteps = 0;                    ///< in the window; in how many of them it came last
    std::int64_t lateNs = 0;                         ///< mean per step: its own work minus the others'
    double workRatio = 0;                            ///< its own work over the others'; 0: not known
    std::int64_t framesMax = 0, othersFramesMax = 0, othersSamplesMax = 0; ///< means over the window
    double lengthShare = 0; ///< share of the window's steps in which its batch was clearly the longest
    /// By how much each phase takes longer than on the others. Phase::None: the part of lateNs that no phase explains.
    std::array<std::int64_t, kPhases> excessNs{};
};

/// A straggler is the holder in at least this share of the window's steps. With three or more ranks, random lengths
/// never come near it; with two ranks, one of them does once in 40,000 windows of 50 steps. Two ranks therefore need a
/// greater share, or this one over twice the window: once in a hundred million.
inline constexpr double kMostSteps = 0.8, kMostStepsOfTwo = 0.9;

/// Returns the rank that holds the others for at least `share` of the steps' time and in at least `mostSteps` of the
/// window's steps (more than a half). Steps up to `behindStep` do not count, nor do steps with a hold of `stallNs` or
/// more, which are separate incidents.
std::optional<Straggler> findStraggler(const StepWindow& window, double share, std::int64_t minHeldNs,
                                       std::int64_t stallNs, std::int64_t behindStep, double mostSteps = kMostSteps,
                                       int windows = 1);
/// Returns what a rank that is known to be slow costs, over the newest `steps` that are finished and in the window.
Straggler stragglerFigures(const StepWindow& window, int rank, int steps);

} // namespace rankscope::diagnosis
