// SPDX-License-Identifier: GPL-3.0-or-later
// Files as a run leaves them in checkpoints/: real headers over tiny tensors.
#pragma once

#include "core/launch/run/run_folder.h"

#include <cstdint>
#include <string>

namespace rankscope::test {

/// A checkpoint after `steps` optimizer steps; loss "": without metrics.
void writeCheckpoint(const launch::RunPaths& run, const std::string& name, std::int64_t steps,
                     const std::string& valLoss = {}, const std::string& trainLoss = {});
void writeModelFile(const launch::RunPaths& run, const std::string& name);
/// effective.yaml, which says what the best is.
void writeEffective(const launch::RunPaths& run);

} // namespace rankscope::test
