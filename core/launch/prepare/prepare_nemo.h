// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/values/error.h"
#include "core/launch/run/launch_spec.h"

namespace rankscope::launch {

/// Decides everything about a run that NeMo trains with a recipe, in the Python `options.nemoPython`, and that is
/// watched like any command. Nothing is written or started. The recipe may be one that Rankscope's trainer cannot
/// train; errors of the recipe itself are those of a launch.
Result<PreparedLaunch> prepareNemoLaunch(const LaunchOptions& options);

} // namespace rankscope::launch
