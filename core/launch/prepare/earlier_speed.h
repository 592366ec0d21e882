// SPDX-License-Identifier: Apache-2.0
// How fast an earlier run on this machine computed the model of a plan.
#pragma once

#include "core/launch/prepare/launch_preview.h"

#include <filesystem>

namespace rankscope::launch {

/// Of the newest of the last hundred runs that trained the same model with as many ranks on the same kind of device,
/// without faults; waits, loading and checkpoints are in it. No id: there is none.
DryRunOptions::Reached reachedBefore(const std::filesystem::path& runsDir, const plan::Plan& plan,
                                     const config::Recipe& recipe);

} // namespace rankscope::launch
