// SPDX-License-Identifier: Apache-2.0
#include "core/plan/validation_plan.h"

#include <fmt/format.h>

#include <algorithm>

namespace rankscope::plan {

bool ValidationPlan::dueAfter(int epoch, std::int64_t batch, std::int64_t batchesPerEpoch) const {
    if (batches == 0 || everyBatches <= 0) {
        return false;
    }
    if (acrossEpochs) {
        return (epoch * batchesPerEpoch + batch + 1) % everyBatches == 0;
    }
    return (epoch + 1) % std::max(1, everyNEpochs) == 0 && (batch + 1) % everyBatches == 0;
}

Result<ValidationPlan> planValidation(const config::TrainerConfig& trainer, std::int64_t trainBatches,
                                      std::int64_t setBatches) {
    ValidationPlan plan;
    plan.batches = trainer.limitVal.of(setBatches);
    plan.acrossEpochs = trainer.valEveryNEpochs == 0;
    plan.everyNEpochs = trainer.valEveryNEpochs;
    plan.sanityBatches =
        trainer.sanityValSteps < 0 ? plan.batches : std::min<std::int64_t>(trainer.sanityValSteps, plan.batches);
    if (trainer.valEveryBatches > 0) {
        if (!plan.acrossEpochs && trainer.valEveryBatches > trainBatches && plan.batches > 0) {
            return fail(Errc::BadInput,
                        fmt::format("{} batches are more than the {} of an epoch: set "
                                    "trainer.check_val_every_n_epoch: null to count across epochs",
                                    trainer.valEveryBatches, trainBatches),
                        "trainer.val_check_interval");
        }
        plan.everyBatches = trainer.valEveryBatches;
    } else if (trainer.valEveryShare > 0) {
        plan.everyBatches = std::max<std::int64_t>(
            1, static_cast<std::int64_t>(static_cast<double>(trainBatches) * std::min(1.0, trainer.valEveryShare)));
    }
    return plan;
}

} // namespace rankscope::plan
