// SPDX-License-Identifier: Apache-2.0
// Completes runs whose supervisor is gone, and stops runs from outside.
#pragma once

#include "core/launch/run/run_info.h"

namespace rankscope::launch {

/// Completes a run whose supervisor is gone: kills what is left of its ranks, stores the contents of their journals,
/// and records how the run ended. Does nothing if a supervisor lives or the run is complete. An error says why the run
/// is left as it is; it can be viewed nevertheless (current_run.h).
Result<void> recover(const RunPaths& run);

/// Asks the supervisor to stop the run. `now`: by killing its ranks; without `now`, any number of requests lead to one
/// stop. Recovers the run if there is no supervisor. Does not wait for the end.
Result<void> requestStop(const RunPaths& run, bool now);

} // namespace rankscope::launch
