// SPDX-License-Identifier: Apache-2.0
// Whether training came to nothing although its ranks did not fail: its loss or its weights are not numbers at the end.
// The supervisor, recovery and everybody who opens an ended run ask here.
#pragma once

#include "core/launch/run/run_info.h"
#include "core/store/read/not_finite_tail.h"

#include <span>
#include <string>
#include <string_view>

namespace rankscope::store {
class RunReader;
}

namespace rankscope::launch {

/// "the loss has been NaN since step 20, and the weights are useless"; empty if the training of these ranks is sound. A
/// step that was not finite and was followed by finite ones does not count, nor do a few that the gradient scaler
/// skipped.
std::string notFiniteText(std::span<const store::NotFiniteTail> tails);

/// Whether a run's cause of its end begins with such a sentence.
bool isNotFiniteCause(std::string_view cause);

/// Makes a run that finished or was stopped a failed one if its training came to nothing.
void judgeTraining(RunInfo& info, std::span<const store::NotFiniteTail> tails);
/// The same by what the run's store says: older versions called such a run finished.
Result<void> judgeTraining(RunInfo& info, store::RunReader& reader);

} // namespace rankscope::launch
