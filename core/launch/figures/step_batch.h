// SPDX-License-Identifier: Apache-2.0
// The utterances of a training step. Batches are not recorded one by one: they are derived from recipe, seed and
// manifests with the trainer's own sampler, and compared with what the rank measured.
#pragma once

#include "core/base/values/error.h"
#include "core/launch/run/run_folder.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace rankscope::launch {

/// One utterance of a batch.
struct StepUtterance {
    std::string file;    ///< absolute, or as written in the manifest if it is not found
    double offset = 0;   ///< seconds into the file
    double duration = 0; ///< seconds, as the manifest says; 0: to the end of the file
    int micro = 0;       ///< which of the step's batches (accumulate_grad_batches), from 0
    friend bool operator==(const StepUtterance&, const StepUtterance&) = default;
};

/// What one rank trained on in one step.
struct StepBatch {
    int rank = 0;
    std::int64_t step = 0, epoch = 0;      ///< from 0
    std::vector<StepUtterance> utterances; ///< in the order of the batch
    /// How the rank's measurements differ from the batch, and a possible reason; empty: they agree.
    std::string remark;

    double seconds() const; ///< total seconds of speech
};

/// Returns the batch of a step. An error says why the batch cannot be determined: an imported run, tar files, a
/// manifest that is gone or was written since the run began, a step that is not in the store, measurements that do not
/// fit. Reads the manifests twice: not for the window's own thread. Returns Busy soon after `cancelled` (may be null)
/// returns true.
Result<StepBatch> batchOfStep(const RunPaths& run, std::int64_t step, int rank,
                              const std::function<bool()>& cancelled = {});

} // namespace rankscope::launch
