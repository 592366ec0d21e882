// SPDX-License-Identifier: Apache-2.0
// Ranks that cost the others a little in every step, found by sums over the window of steps.
#pragma once

#include "core/diagnosis/statistics/step_window.h"

#include <cstdint>
#include <optional>

namespace rankscope::diagnosis {

struct Straggler {
    int rank = -1;
    telemetry::Phase phase = telemetry::Phase::None; ///< where it spends what the others do not
    std::int64_t heldNs = 0, windowNs = 0;           ///< net of what it waited itself; of the window's steps
    int steps = 0, lastSteps = 0;                    ///< and in how many of them it came last
    std::int64_t lateNs = 0;                         ///< mean of a step: its own work less the others'
    double workRatio = 0;                            ///< its own work over the others'; 0: not known
    std::int64_t framesMax = 0, othersFramesMax = 0, othersSamplesMax = 0; ///< means over the window
    double lengthShare = 0; ///< share of the window's steps in which its batch was clearly the longest
};

/// A straggler is the holder in at least this share of the window's steps. With three or more ranks, lengths drawn at
/// random never come near it; of two ranks one or the other does once in 40,000 windows of 50. Two ranks therefore
/// need more, or as much over twice the window: once in a hundred million.
inline constexpr double kMostSteps = 0.8, kMostStepsOfTwo = 0.9;

/// The rank that holds the others for at least `share` of the steps' time and in most of the window's steps. Steps with
/// a hold of `stallNs` or more do not count: they are incidents of their own; nor do those up to `behindStep`.
/// `mostSteps`: more than a half.
std::optional<Straggler> findStraggler(const StepWindow& window, double share, std::int64_t minHeldNs,
                                       std::int64_t stallNs, std::int64_t behindStep, double mostSteps = kMostSteps,
                                       int windows = 1);
/// What a rank that is known to be slow costs: over the newest `steps` that are finished and still here.
Straggler stragglerFigures(const StepWindow& window, int rank, int steps);

} // namespace rankscope::diagnosis
