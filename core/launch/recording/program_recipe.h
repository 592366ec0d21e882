// SPDX-License-Identifier: Apache-2.0
// The recipe of a program that Rankscope watches: rank 0 of a NeMo program writes what it trains with into the run's
// folder.
#pragma once

#include "core/base/values/error.h"
#include "core/config/effective/effective.h"
#include "core/diagnosis/model/settings.h"
#include "core/launch/run/run_info.h"

#include <optional>
#include <string>

namespace rankscope::launch {

/// What a watched program trains with.
struct ProgramRecipe {
    std::string text; ///< as the program wrote it
    config::Effective effective;
    std::string from; ///< "NeMo 2.7.3"

    /// Returns the detector's settings with those that the recipe names.
    diagnosis::Settings appliedTo(const diagnosis::Settings& settings) const;
};

/// Reads the file that a program's recipe is in whenever it has changed.
class ProgramRecipeFile {
public:
    explicit ProgramRecipeFile(const RunPaths& run) : m_run(run) {}

    /// Returns the recipe if there is one that this object has not returned yet. Errors: the file is not this user's,
    /// too long, or not YAML; they are returned once.
    Result<std::optional<ProgramRecipe>> changed();

private:
    RunPaths m_run;
    std::string m_seen; ///< identifies the file that was read last; empty: none
};

/// Makes it the recipe of the run: writes config.yaml and effective.yaml, and sets in `info` where it is from and
/// whether it can be launched.
Result<void> keepProgramRecipe(const RunPaths& run, const ProgramRecipe& recipe, RunInfo& info);

} // namespace rankscope::launch
