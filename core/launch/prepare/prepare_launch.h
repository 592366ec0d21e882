// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/values/error.h"
#include "core/config/recipe/recipe.h"
#include "core/launch/run/launch_spec.h"

#include <string>

namespace rankscope::launch {

/// Decides everything about a launch and checks what can be checked before it begins. Nothing is written or started.
Result<PreparedLaunch> prepareLaunch(const LaunchOptions& options);

/// Returns the --ranks with which `recipe`, the text of the run's config.yaml or effective.yaml, gives as many ranks as
/// the run had. 0: not needed, because the recipe itself, or an override, gives their number.
int ranksToRepeat(const RunInfo& run, const std::string& recipe);

/// Checks init_from_nemo_model and init_from_ptl_ckpt for what a rank would refuse at its start: a file that cannot be
/// read, a tensor of another shape, no tensor of the model. Only the files' descriptions are read. `effectiveText`: the
/// text that config::readRecipe() takes. where: the key and the file.
Result<void> checkInitialWeights(const std::string& effectiveText, const config::ModelConfig& model);

} // namespace rankscope::launch
