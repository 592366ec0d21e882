// SPDX-License-Identifier: GPL-3.0-or-later
// Writes files as a run leaves them in checkpoints/: real headers with tiny tensors.
#pragma once

#include "core/launch/run/run_folder.h"

#include <cstdint>
#include <string>

namespace rankscope::test {

/// Writes a checkpoint after `steps` optimizer steps. An empty loss means no metrics.
void writeCheckpoint(const launch::RunPaths& run, const std::string& name, std::int64_t steps,
                     const std::string& valLoss = {}, const std::string& trainLoss = {});
/// Writes a .nemo without tensors. `steps`: after how many steps its weights were taken; 0: it does not say.
void writeModelFile(const launch::RunPaths& run, const std::string& name, std::int64_t steps = 0);
/// Writes effective.yaml, which defines the best checkpoint.
void writeEffective(const launch::RunPaths& run);

} // namespace rankscope::test
