// SPDX-License-Identifier: Apache-2.0
// How fast this machine trains a recipe: measured with a few steps of the real trainer, or taken from an earlier run.
#pragma once

#include "core/launch/prepare/launch_preview.h"
#include "core/launch/run/launch_spec.h"

#include <cstdint>
#include <filesystem>
#include <functional>

namespace rankscope::launch {

/// Steps that run first and are not counted: they load libraries, allocate memory and open files.
inline constexpr std::int64_t kWarmUpSteps = 3;
inline constexpr std::int64_t kMostCalibrationSteps = 1000;

/// What a calibration has measured.
struct Calibration {
    std::int64_t steps = 0;    ///< measured steps
    double batchesPerStep = 0; ///< per rank
    double audioSeconds = 0;   ///< speech in one rank's batch, without padding
    double lastedSeconds = 0;  ///< of all measured steps together

    /// Returns the operations per second of one rank, for plan::speedAt().
    DryRunOptions::EarlierSpeed reached(const plan::Plan& plan, const config::Recipe& recipe) const;
};

/// Trains `steps` steps after the warm-up, without validation, checkpoints and deliberate faults, in a new folder below
/// the one for temporary files, and removes that folder. A recipe with fewer steps is measured over those that it has.
/// Blocks; call it from main. SIGTERM and SIGINT cancel it (Errc::Busy). `progress` gets the number of steps done and
/// their total.
Result<Calibration> calibrate(const LaunchOptions& options, std::int64_t steps,
                              const std::function<void(std::int64_t, std::int64_t)>& progress);

/// Returns the operations per second of the newest of the last hundred runs that trained the same model with as many
/// ranks on the same kind of device, without faults; waits, loading and checkpoints are included. Empty id: there is no
/// such run.
DryRunOptions::EarlierSpeed earlierSpeed(const std::filesystem::path& runsDir, const plan::Plan& plan,
                                         const config::Recipe& recipe);

} // namespace rankscope::launch
