// SPDX-License-Identifier: Apache-2.0
// Completes runs whose supervisor is gone, and stops runs from outside.
#pragma once

#include "core/launch/run/run_info.h"

namespace rankscope::launch {

/// Brings a run whose supervisor is gone up to date: drains journals into the store, ends its state truthfully. No-op
/// when a supervisor lives or nothing is left to do.
Result<void> recover(const RunPaths& run);

/// Asks the supervisor to stop; when there is none, ends what is left of its ranks. Returns at once.
Result<void> requestStop(const RunPaths& run, bool now);

} // namespace rankscope::launch
