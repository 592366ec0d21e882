// SPDX-License-Identifier: Apache-2.0
// Completes runs whose supervisor is gone, and stops runs from outside.
#pragma once

#include "core/launch/run/run_info.h"

namespace rankscope::launch {

/// Completes a run whose supervisor is gone: kills what is left of its ranks, stores what is in their journals, and
/// records how it ended. Does nothing if a supervisor lives or the run is complete. An error says why it stays as it
/// is: it can be viewed all the same (current_run.h).
Result<void> recover(const RunPaths& run);

/// Asks the supervisor to stop the run, `now`: by killing its ranks; several who ask for the former are answered by one
/// stop. Recovers the run if there is no supervisor. Does not wait for the end.
Result<void> requestStop(const RunPaths& run, bool now);

} // namespace rankscope::launch
