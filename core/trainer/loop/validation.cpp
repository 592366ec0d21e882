// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/loop/validation.h"

#include "core/base/values/clock.h"
#include "core/trainer/distributed/parallel/model_collectives.h"
#include "core/trainer/loop/run_error.h"
#include "core/trainer/loop/training_hooks.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace rankscope::trainer {
namespace {

using telemetry::Phase;

/// Ignores forward's phases, which are those of training: validation is one phase.
class ValidationHooks final : public ForwardHooks {
public:
    explicit ValidationHooks(RankRuntime& rank) : m_rank(rank) {}

    void place(telemetry::ForwardSite place, int layer) override { m_rank.telemetry->board().place(place, layer); }
    void inputShape(std::int64_t batch, std::int64_t features, std::int64_t frames) override {
        m_rank.telemetry->board().inputShape({static_cast<std::int32_t>(batch), static_cast<std::int32_t>(features),
                                              static_cast<std::int32_t>(frames), 0});
    }
    void beforeEncoder(const torch::Tensor&, const std::vector<std::int64_t>&) override {
        if (m_rank.lengthSync && m_rank.lengthSync->hasBarrier())
            m_rank.lengthSync->meet();
    }
    std::int64_t syncMaxAudioLength(std::int64_t localMax) override {
        return m_rank.lengthSync ? m_rank.lengthSync->largest(localMax) : localMax;
    }

private:
    RankRuntime& m_rank;
};

/// Returns the mean over the ranks that have a value.
double meanOverRanks(RankRuntime& rank, double local) {
    if (!rank.group)
        return local;
    const bool has = std::isfinite(local);
    auto sums = torch::tensor({has ? local : 0.0, has ? 1.0 : 0.0}, torch::kFloat64).to(rank.device);
    CollectiveTag tag("metrics");
    rank.group->allReduce(sums, c10d::ReduceOp::SUM, tag);
    sums = sums.cpu();
    const double count = sums[1].item<double>();
    return count > 0 ? sums[0].item<double>() / count : std::numeric_limits<double>::quiet_NaN();
}

std::optional<Batch> fetch(RankRuntime& rank, BatchLoader& loader) {
    rank.telemetry->phase(Phase::DataWait);
    auto batch = loader.next();
    if (!batch)
        throw RunError(batch.error());
    rank.telemetry->phase(Phase::Validate);
    return std::move(*batch);
}

ValidationResult validateSet(RankRuntime& rank, const ValidationLoader& set, std::int64_t batches,
                             ValidationHooks& hooks) {
    ValidationResult result{set.lossName, set.monitored};
    set.loader->beginEpoch(0);
    double sum = 0;
    for (; result.batches < batches; ++result.batches) {
        const auto batch = fetch(rank, *set.loader);
        if (!batch)
            break;
        const AutocastScope autocast = rank.precision.forward();
        const NestOutput output = rank.model->forward(toDevice(*batch, rank.device), true, hooks);
        std::int64_t masked = 0;
        const torch::Tensor loss = rank.model->loss(output, &masked);
        result.maskedFrames += masked;
        if (masked > 0)
            sum += loss.item<double>();
        else
            ++result.unmasked;
    }
    const std::int64_t counted = result.batches - result.unmasked;
    result.localLoss = counted > 0 ? sum / static_cast<double>(counted) : std::numeric_limits<double>::quiet_NaN();
    result.loss = rank.recipe.rankscope.meanValLoss ? meanOverRanks(rank, result.localLoss) : result.localLoss;
    return result;
}

} // namespace

const ValidationResult& Validation::monitored() const {
    const auto found =
        std::find_if(sets.begin(), sets.end(), [](const ValidationResult& set) { return set.monitored; });
    return found == sets.end() ? sets.front() : *found;
}

Validation validate(RankRuntime& rank, ValidationKind kind) {
    Validation validation;
    validation.beginNs = monotonicNs();
    rank.telemetry->phase(Phase::Validate);
    if (rank.parallel && !rank.recipe.trainer.syncBatchnorm)
        rank.parallel->broadcastBuffers(); // running statistics drift apart; all ranks validate rank 0's model
    const torch::NoGradGuard noGradients;
    ValidationHooks hooks(rank);
    rank.model->eval();
    for (std::size_t i = 0; i < rank.validationLoaders.size(); ++i) {
        const auto& planned = rank.validation.sets[i];
        const bool sanity = kind == ValidationKind::Sanity;
        validation.sets.push_back(
            validateSet(rank, rank.validationLoaders[i], sanity ? planned.sanityBatches : planned.batches, hooks));
    }
    rank.telemetry->board().place(telemetry::ForwardSite::None);
    rank.model->train();
    rank.telemetry->phase(Phase::None);
    validation.endNs = monotonicNs();
    return validation;
}

} // namespace rankscope::trainer
