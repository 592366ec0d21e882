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
void writeModelFile(const launch::RunPaths& run, const std::string& name);
/// Writes effective.yaml, which defines the best checkpoint.
void writeEffective(const launch::RunPaths& run);

} // namespace rankscope::test
