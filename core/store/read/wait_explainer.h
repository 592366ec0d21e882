// SPDX-License-Identifier: Apache-2.0
// The two passes of RunReader::explainWaits, inside its transaction.
#pragma once

#include "core/store/read/run_reader.h"
#include "core/store/waits/wait_report.h"

namespace rankscope::store {

/// Matrix and replay, of the steps whose single collectives are there.
Result<void> explainSingle(RunReader::Impl& m, WaitReport& report, const std::function<bool()>& cancelled);
/// Lengths and times of all steps, and the matrix of those whose single collectives were thinned.
Result<void> readStepColumns(RunReader::Impl& m, WaitReport& report, const std::function<bool()>& cancelled);
/// Busy when it says true.
Result<void> goOn(const std::function<bool()>& cancelled);
/// Steps below were thinned, but for those around incidents.
Result<std::int64_t> thinnedTo(RunReader::Impl& m);

} // namespace rankscope::store
