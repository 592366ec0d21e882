// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/launch/run/launch_spec.h"

namespace rankscope::launch {

/// Decides everything about a launch and checks what can be checked before it begins. Nothing is written or started.
Result<LaunchPlan> plan(const LaunchOptions& options);

} // namespace rankscope::launch
