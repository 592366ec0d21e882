// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config/recipe/recipe.h"

#include <cstdint>

namespace rankscope::trainer {

/// trainer.max_time, as Lightning's Timer: seconds of training over all the parts of a resumed run. Arithmetic only.
struct TimeLimit {
    std::int64_t limitNs = 0;         ///< 0: none
    std::int64_t elapsedBeforeNs = 0; ///< in the parts before this one
    std::int64_t beganNs = 0;         ///< monotonic
    std::int64_t minSteps = 0, minEpochs = 0;

    static TimeLimit of(const config::TrainerConfig& trainer);

    bool set() const { return limitNs > 0; }
    /// The run may end before step `nextStep` of epoch `epoch`, both from 0, if the time is over.
    bool mayEnd(std::int64_t nextStep, std::int64_t epoch) const { return nextStep >= minSteps && epoch >= minEpochs; }
    std::int64_t elapsedNs(std::int64_t nowNs) const { return elapsedBeforeNs + nowNs - beganNs; }
    bool over(std::int64_t nowNs) const { return set() && elapsedNs(nowNs) >= limitNs; }
};

} // namespace rankscope::trainer
