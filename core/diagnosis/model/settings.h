// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

namespace rankscope::diagnosis {

/// Which keys remedies can name for a program that was not started from a recipe.
enum class ProgramKeys : std::uint8_t {
    Unknown,
    Known, ///< Those of the recipe that the program has reported.
    Hydra, ///< The same, and its command accepts overrides of them in Hydra's form.
};

/// What the detector and its remedies depend on: of a recipe, the keys rankscope.stall.* and rankscope.straggler.*, and
/// those of the data.
struct Settings {
    double stallMinSeconds = 2.0;
    double stallFactor = 5.0;     ///< x the run's typical step
    double stragglerShare = 0.25; ///< share of the step for which one rank holds up the others
    int stragglerWindowSteps = 50;
    double joinSeconds = 60.0; ///< rendezvous that takes longer is an incident
    int numWorkers = -1;       ///< model.train_ds.num_workers, for the remedy; -1 unknown
    int prefetchFactor = -1;
    bool lengthSync = true;
    std::optional<bool> dropLast; ///< model.train_ds.drop_last, for the remedy; none: unknown
    bool limitsDuration = true;   ///< The recipe has model.train_ds.max_duration.
    int sampleRate = 16000;
    std::uint64_t configHash = 0; ///< of the launched configuration; 0: unknown
    /// False: the run is a program of the user. Remedies name keys only if it named its recipe, and figures that only
    /// our trainer reports (masked frames) and its exit codes mean nothing.
    bool recipe = true;
    ProgramKeys programKeys = ProgramKeys::Unknown; ///< of such a program
};

} // namespace rankscope::diagnosis
