// SPDX-License-Identifier: Apache-2.0
// The learning rate of every step, by the formulas of NeMo 2.7.3 (nemo/core/optim/lr_scheduler.py).
#pragma once

#include "core/config/recipe/recipe.h"

#include <cstdint>

namespace rankscope::trainer {

/// The planned length of the run. A schedule with an end takes it, as in NeMo, from trainer.max_steps, else from
/// model.optim.sched.max_steps, else from trainer.max_epochs.
struct RunLength {
    std::int64_t maxSteps = -1;  ///< trainer.max_steps; negative: not set
    std::int64_t epochSteps = 0; ///< optimizer steps of trainer.max_epochs; 0: no limit, or unknown
};

/// The parameters of a curve. Steps count from 0, over the whole run.
struct ScheduleTerms {
    double lr = 0, minLr = 0;
    std::int64_t warmup = 0;   ///< last step of the warm-up; 0: none
    std::int64_t holdEnd = 0;  ///< first step after the hold; 0: no hold
    std::int64_t constant = 0; ///< steps of the constant part
    std::int64_t end = 0;      ///< max_steps
    bool endless = false;
    int dModel = 0;
    double decayRate = 0.5, power = 1;
    bool cycle = false;
};

/// One of NeMo's schedules, by its name; constant if none is named.
class LearningRateSchedule {
public:
    /// Throws std::invalid_argument that names the key if a value is missing or contradicts another, or if the name is
    /// unknown.
    explicit LearningRateSchedule(const config::OptimConfig& config, const RunLength& run = {});
    /// Returns the learning rate of the training step with this number, from 0.
    double at(std::int64_t step) const { return m_curve(m_terms, step); }

private:
    using RateCurve = double (*)(const ScheduleTerms&, std::int64_t);

    ScheduleTerms m_terms;
    RateCurve m_curve;
};

} // namespace rankscope::trainer
