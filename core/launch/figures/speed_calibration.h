// SPDX-License-Identifier: Apache-2.0
// How fast this machine trains a recipe: measured with a few steps of the real trainer, or as an earlier run reached
// it.
#pragma once

#include "core/launch/prepare/launch_preview.h"
#include "core/launch/run/launch_spec.h"

#include <cstdint>
#include <filesystem>
#include <functional>

namespace rankscope::launch {

/// Steps that are taken first and not counted: libraries are loaded in them, memory is taken, files are opened.
inline constexpr std::int64_t kWarmUpSteps = 3;
inline constexpr std::int64_t kMostCalibrationSteps = 1000;

struct Calibration {
    std::int64_t steps = 0;    ///< that were measured
    double batchesPerStep = 0; ///< of a rank
    double audioSeconds = 0;   ///< speech in a batch of one rank, without padding
    double lastedSeconds = 0;  ///< all of them

    /// Operations a second of one rank, for plan::speedAt().
    DryRunOptions::Reached reached(const plan::Plan& plan, const config::Recipe& recipe) const;
};

/// Trains `steps` steps behind the warm-up in a folder of its own below the one for temporary files, without
/// validation, checkpoints and deliberate faults, and removes it. A recipe with fewer steps is measured over those it
/// has. Blocks; call from main. SIGTERM and SIGINT call it off (Errc::Busy). `progress` hears how many steps of how
/// many are done.
Result<Calibration> calibrate(const LaunchOptions& options, std::int64_t steps,
                              const std::function<void(std::int64_t, std::int64_t)>& progress);

/// Of the newest of the last hundred runs that trained the same model with as many ranks on the same kind of device,
/// without faults; waits, loading and checkpoints are in it. No id: there is none.
DryRunOptions::Reached reachedBefore(const std::filesystem::path& runsDir, const plan::Plan& plan,
                                     const config::Recipe& recipe);

} // namespace rankscope::launch
