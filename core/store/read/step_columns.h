// SPDX-License-Identifier: Apache-2.0
// Reads the steps' own rows, which are kept for ever: lengths against lateness, and what waits were due to where single
// collectives and phases were thinned.
#pragma once

#include "core/store/open/open_store.h"
#include "core/store/waits/wait_report.h"

#include <cstdint>
#include <functional>

namespace rankscope::store {

/// Reads lengths and times of all steps into `report`, and the waits of those whose single collectives were thinned.
/// Inside the caller's transaction.
Result<void> readStepColumns(OpenStore& store, WaitReport& report, const std::function<bool()>& cancelled);
/// Returns Busy when `cancelled` returns true.
Result<void> goOn(const std::function<bool()>& cancelled);
/// Returns the step below which single collectives and phases were thinned, except around incidents.
Result<std::int64_t> thinnedTo(OpenStore& store);

} // namespace rankscope::store
