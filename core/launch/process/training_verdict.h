// SPDX-License-Identifier: Apache-2.0
// Decides whether training was useless although its ranks did not fail: at the end its loss or its weights are not
// finite. The supervisor, recovery and all code that opens an ended run use these functions.
#pragma once

#include "core/launch/run/run_info.h"
#include "core/store/read/not_finite_tail.h"

#include <span>

namespace rankscope::store {
class RunReader;
}

namespace rankscope::launch {

/// Returns "the loss has been NaN since step 20, and the weights are useless"; empty if the training of these ranks is
/// sound. A step that was not finite and was followed by finite ones does not count, nor do a few that the gradient
/// scaler skipped.
Message notFiniteText(std::span<const store::NotFiniteTail> tails);

/// Returns the same as values, for training that is not sound.
EndReason notFiniteReason(std::span<const store::NotFiniteTail> tails);

/// Changes a run that finished or was stopped into a failed one if its training was useless.
void judgeTraining(RunInfo& info, std::span<const store::NotFiniteTail> tails);
/// Does the same from the run's store: older versions called such a run finished.
Result<void> judgeTraining(RunInfo& info, store::RunReader& reader);

} // namespace rankscope::launch
