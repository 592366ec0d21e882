// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/loop/validation_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace rankscope::trainer {

bool ValidationPlan::dueAfter(int epoch, std::int64_t batch, std::int64_t batchesPerEpoch) const {
    if (batches == 0 || everyBatches <= 0) {
        return false;
    }
    if (acrossEpochs) {
        return (epoch * batchesPerEpoch + batch + 1) % everyBatches == 0;
    }
    return (epoch + 1) % std::max(1, everyNEpochs) == 0 && (batch + 1) % everyBatches == 0;
}

ValidationPlan planValidation(const config::TrainerConfig& trainer, std::int64_t trainBatches,
                              std::int64_t setBatches) {
    ValidationPlan plan;
    plan.batches = trainer.limitVal.of(setBatches);
    plan.acrossEpochs = trainer.valEveryNEpochs == 0;
    plan.everyNEpochs = trainer.valEveryNEpochs;
    plan.sanityBatches =
        trainer.sanityValSteps < 0 ? plan.batches : std::min<std::int64_t>(trainer.sanityValSteps, plan.batches);
    if (trainer.valEveryBatches > 0) {
        if (!plan.acrossEpochs && trainer.valEveryBatches > trainBatches && plan.batches > 0) {
            throw std::invalid_argument(
                fmt::format("trainer.val_check_interval: {} batches are more than the {} of an epoch: set "
                            "trainer.check_val_every_n_epoch: null to count across epochs",
                            trainer.valEveryBatches, trainBatches));
        }
        plan.everyBatches = trainer.valEveryBatches;
    } else if (trainer.valEveryShare > 0) {
        plan.everyBatches = std::max<std::int64_t>(
            1, static_cast<std::int64_t>(static_cast<double>(trainBatches) * std::min(1.0, trainer.valEveryShare)));
    }
    return plan;
}

} // namespace rankscope::trainer
