// SPDX-License-Identifier: Apache-2.0
// Reads the rows of table step, which are kept forever: they relate lengths to lateness, and explain waits where single
// collectives and phases were thinned.
#pragma once

#include "core/store/open/open_store.h"
#include "core/store/waits/wait_report.h"

#include <cstdint>
#include <functional>

namespace rankscope::store {

/// Reads lengths and times of all steps into `report`, and the waits of those whose single collectives were thinned.
/// Call it inside a transaction.
Result<void> readStepColumns(OpenStore& store, WaitReport& report, const std::function<bool()>& cancelled);
/// Returns Busy if `cancelled` returns true.
Result<void> checkCancelled(const std::function<bool()>& cancelled);
/// Returns the step below which single collectives and phases were thinned, except around incidents.
Result<std::int64_t> firstDetailedStep(OpenStore& store);

} // namespace rankscope::store
