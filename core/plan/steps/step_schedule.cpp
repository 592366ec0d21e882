// SPDX-License-Identifier: Apache-2.0
#include "core/plan/steps/step_schedule.h"

#include "core/base/values/result.h"

#include <algorithm>
#include <cmath>

namespace rankscope::plan {

std::int64_t StepSchedule::stepsPerEpoch() const {
    return (batchesPerEpoch + accumulate - 1) / accumulate;
}

std::int64_t StepSchedule::totalSteps() const {
    const std::int64_t byEpochs = maxEpochs >= 0 ? maxEpochs * stepsPerEpoch() : -1;
    if (maxSteps < 0 || byEpochs < 0)
        return std::max({maxSteps, byEpochs, std::int64_t{0}});
    return std::min(maxSteps, byEpochs);
}

int StepSchedule::batchesOf(std::int64_t stepInEpoch) const {
    return static_cast<int>(std::min<std::int64_t>(accumulate, batchesPerEpoch - stepInEpoch * accumulate));
}

StepSchedule::SchedulePosition StepSchedule::positionOf(std::int64_t batch) const {
    const std::int64_t epoch = batch / loaderEpoch(), inEpoch = batch % loaderEpoch();
    if (inEpoch >= batchesPerEpoch)
        return {-1, 0};
    return {epoch * stepsPerEpoch() + inEpoch / accumulate, static_cast<int>(inEpoch % accumulate)};
}

std::int64_t StepSchedule::firstBatchOf(std::int64_t step) const {
    return step / stepsPerEpoch() * loaderEpoch() + step % stepsPerEpoch() * accumulate;
}

std::int64_t ValidationPlan::batches() const {
    std::int64_t sum = 0;
    for (const Set& set : sets)
        sum += set.batches;
    return sum;
}

std::int64_t ValidationPlan::sanityBatches() const {
    std::int64_t sum = 0;
    for (const Set& set : sets)
        sum += set.sanityBatches;
    return sum;
}

bool ValidationPlan::mayValidate(int epoch) const {
    return batches() > 0 && (acrossEpochs || (epoch + 1) % std::max(1, everyNEpochs) == 0);
}

bool ValidationPlan::dueAfter(int epoch, std::int64_t batch, std::int64_t batchesPerEpoch) const {
    if (everyBatches <= 0 || !mayValidate(epoch))
        return false;
    return ((acrossEpochs ? epoch * batchesPerEpoch : 0) + batch + 1) % everyBatches == 0;
}

Result<std::int64_t> limited(const config::BatchLimit& limit, std::int64_t batches, const char* key) {
    const std::int64_t used = limit.of(batches);
    if (used == 0 && limit.count < 0 && limit.share > 0 && batches > 0) {
        return fail(Errc::BadInput,
                    {"{:g} of {} batches is less than one: give at least {:.7g}, or a whole number of "
                     "batches",
                     limit.share, batches, std::ceil(1e6 / static_cast<double>(batches)) / 1e6},
                    key);
    }
    return used;
}

Result<std::int64_t> trainingBatches(const config::TrainerConfig& trainer, std::int64_t inSet) {
    constexpr const char* kKey = "trainer.limit_train_batches";
    auto used = limited(trainer.limitTrain, inSet, kKey);
    if (used && *used == 0)
        return fail(Errc::BadInput, {"leaves none of the {} batches of an epoch", inSet}, kKey);
    return used;
}

Result<ValidationPlan> planValidation(const config::TrainerConfig& trainer, std::int64_t trainBatches,
                                      const std::vector<std::int64_t>& setBatches) {
    ValidationPlan plan;
    for (const std::int64_t inSet : setBatches) {
        RS_TRY_ASSIGN(const auto used, limited(trainer.limitVal, inSet, "trainer.limit_val_batches"));
        const std::int64_t sanity = trainer.sanityValSteps;
        plan.sets.push_back({used, sanity < 0 ? used : std::min(sanity, used)});
    }
    plan.acrossEpochs = trainer.valEveryNEpochs == 0;
    plan.everyNEpochs = trainer.valEveryNEpochs;
    if (trainer.valEveryBatches > 0) {
        if (!plan.acrossEpochs && trainer.valEveryBatches > trainBatches && plan.batches() > 0) {
            return fail(Errc::BadInput,
                        {"the interval is {} batches, but an epoch has only {}: set trainer.check_val_every_n_epoch: "
                         "null to count across epochs",
                         trainer.valEveryBatches, trainBatches},
                        "trainer.val_check_interval");
        }
        plan.everyBatches = trainer.valEveryBatches;
    } else {
        plan.everyBatches = std::max<std::int64_t>(
            1, static_cast<std::int64_t>(static_cast<double>(trainBatches) * std::min(1.0, trainer.valEveryShare)));
    }
    return plan;
}

} // namespace rankscope::plan
