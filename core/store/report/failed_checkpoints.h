// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/values/error.h"

#include <cstdint>
#include <string>

namespace rankscope::store {

class OpenStore;

/// Checkpoints that a run could not write. Training continues without them, so only the run's notes mention them.
struct FailedCheckpoints {
    std::int64_t count = 0;
    std::string newest; ///< "no checkpoint after 200 steps: last.safetensors: cannot write: No space left on device"

    friend bool operator==(const FailedCheckpoints&, const FailedCheckpoints&) = default;
};

Result<FailedCheckpoints> failedCheckpoints(OpenStore& store);

} // namespace rankscope::store
