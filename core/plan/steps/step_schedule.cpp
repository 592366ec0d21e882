// SPDX-License-Identifier: Apache-2.0
#include "core/plan/steps/step_schedule.h"

#include <algorithm>

namespace rankscope::plan {

std::int64_t StepPlan::stepsPerEpoch() const {
    return (batchesPerEpoch + accumulate - 1) / accumulate;
}

std::int64_t StepPlan::totalSteps() const {
    const std::int64_t byEpochs = maxEpochs >= 0 ? maxEpochs * stepsPerEpoch() : -1;
    if (maxSteps < 0 || byEpochs < 0)
        return std::max({maxSteps, byEpochs, std::int64_t{0}});
    return std::min(maxSteps, byEpochs);
}

int StepPlan::batchesOf(std::int64_t stepInEpoch) const {
    return static_cast<int>(std::min<std::int64_t>(accumulate, batchesPerEpoch - stepInEpoch * accumulate));
}

StepPlan::Position StepPlan::positionOf(std::int64_t batch) const {
    const std::int64_t epoch = batch / loaderEpoch(), inEpoch = batch % loaderEpoch();
    if (inEpoch >= batchesPerEpoch)
        return {-1, 0};
    return {epoch * stepsPerEpoch() + inEpoch / accumulate, static_cast<int>(inEpoch % accumulate)};
}

std::int64_t StepPlan::firstBatchOf(std::int64_t step) const {
    return step / stepsPerEpoch() * loaderEpoch() + step % stepsPerEpoch() * accumulate;
}

} // namespace rankscope::plan
