// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/loop/process/time_limit.h"

#include <algorithm>
#include <limits>

namespace rankscope::trainer {

TimeLimit TimeLimit::of(const config::TrainerConfig& trainer) {
    TimeLimit limit;
    constexpr double most = static_cast<double>(std::numeric_limits<std::int64_t>::max()) / 4;
    limit.limitNs = static_cast<std::int64_t>(std::min(trainer.maxTimeSeconds * 1e9, most));
    limit.minSteps = trainer.minSteps;
    limit.minEpochs = trainer.minEpochs;
    return limit;
}

} // namespace rankscope::trainer
