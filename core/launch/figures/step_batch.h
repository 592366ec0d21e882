// SPDX-License-Identifier: Apache-2.0
// The utterances of a training step. Batches are not recorded one by one: they follow from recipe, seed and manifests
// with the trainer's own sampler, and what the rank measured of the batch is compared with them.
#pragma once

#include "core/base/values/error.h"
#include "core/launch/run/run_folder.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace rankscope::launch {

struct StepUtterance {
    std::string file;    ///< absolute, or as the manifest has it where it is not found
    double offset = 0;   ///< seconds into the file
    double duration = 0; ///< seconds, as the manifest says; 0: to the end of the file
    int micro = 0;       ///< which of the step's batches (accumulate_grad_batches), from 0
    friend bool operator==(const StepUtterance&, const StepUtterance&) = default;
};

struct StepBatch {
    int rank = 0;
    std::int64_t step = 0, epoch = 0;      ///< from 0
    std::vector<StepUtterance> utterances; ///< in the order of the batch
    std::string remark;                    ///< what the rank measured differs in that, and why it may; empty: it agrees

    double seconds() const; ///< of speech, together
};

/// An error says why the batch cannot be told: an imported run, tar files, a manifest that was written since the run
/// began or is gone, a step that is not in the store, measurements that do not fit. Reads the manifests twice: not for
/// the window's own thread. Ends with Busy soon after `cancelled` (may be null) says true.
Result<StepBatch> batchOfStep(const RunPaths& run, std::int64_t step, int rank,
                              const std::function<bool()>& cancelled = {});

} // namespace rankscope::launch
