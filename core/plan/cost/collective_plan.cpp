// SPDX-License-Identifier: Apache-2.0
#include "core/plan/cost/collective_plan.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace rankscope::plan {
namespace {

constexpr std::int64_t kMiB = 1 << 20, kFirstBucketBytes = kMiB; // c10d's kDefaultFirstBucketBytes
constexpr double kDefaultBucketMb = 25;
constexpr std::int64_t kFloatBytes = 4;

struct Limits {
    std::int64_t first = 0, others = 0;
};

Limits limitsOf(const config::TrainerConfig& trainer) {
    const auto cap = static_cast<std::int64_t>(trainer.bucketCapMb.value_or(kDefaultBucketMb) * double{kMiB});
    return {trainer.bucketCapMb ? cap : kFirstBucketBytes, cap};
}

bool findsUnused(const config::TrainerConfig& trainer) {
    return trainer.findUnusedParameters || trainer.strategy == "ddp_find_unused_parameters_true";
}

/// Returns the buckets' sizes as c10d fills them: the tensor that brings a bucket to its limit closes it.
std::vector<std::int64_t> filled(const std::vector<TensorShape>& shapes, const std::vector<std::size_t>& order,
                                 const Limits& limits) {
    std::vector<std::int64_t> buckets;
    std::int64_t open = 0;
    for (const std::size_t place : order) {
        open += shapes[place].count();
        if (open * kFloatBytes >= (buckets.empty() ? limits.first : limits.others)) {
            buckets.push_back(open);
            open = 0;
        }
    }
    if (open > 0)
        buckets.push_back(open);
    return buckets;
}

class Collectives {
public:
    Collectives(const config::Recipe& recipe, const std::vector<TensorShape>& shapes)
        : m_recipe(recipe), m_shapes(shapes), m_batches(std::max(1, recipe.trainer.accumulateGradBatches)) {}

    std::vector<CollectivePlan> take() && {
        buffers();
        lengthSync();
        batchNorm();
        gradients();
        if (m_recipe.trainer.maxTimeSeconds > 0)
            add("metrics", "all-reduce", "step", "float32", 1, kFloatBytes, true);
        return std::move(m_plan);
    }

private:
    bool normalisesBatches() const { return m_recipe.model.encoder.convNormType == "batch_norm"; }

    CollectivePlan& add(std::string tag, std::string op, std::string phase, std::string dtype, std::int64_t calls,
                        std::int64_t bytes, bool blocks) {
        m_plan.push_back(
            {std::move(tag), std::move(op), std::move(phase), std::move(dtype), calls, bytes, blocks, true});
        return m_plan.back();
    }

    /// Adds the broadcast of rank 0's running averages before a forward that follows an exchange of gradients.
    void buffers() {
        if (!m_recipe.trainer.broadcastBuffers || m_recipe.trainer.syncBatchnorm || !normalisesBatches())
            return;
        std::map<int, std::int64_t> bytes; // by width: one call per type
        for (const TensorShape& tensor : m_shapes)
            if (tensor.buffer)
                bytes[tensor.elementBytes] += tensor.count() * tensor.elementBytes;
        for (const auto& [width, sum] : bytes)
            add("broadcast:buffers", "broadcast", "forward", width == 8 ? "int64" : "float32", 1, sum, true);
    }

    void lengthSync() {
        const auto& sync = m_recipe.rankscope.lengthSync;
        if (sync.barrier)
            add("barrier:before_encoder", "barrier", "forward", "", m_batches, 0, true);
        if (!m_recipe.model.encoder.syncMaxAudioLength)
            return;
        const bool timed = sync.timeoutSeconds.has_value();
        add("sync_max_audio_length", "all-reduce", "forward", timed ? "int64" : "float32", m_batches,
            m_batches * (timed ? 8 : kFloatBytes), true);
    }

    void batchNorm() {
        if (!m_recipe.trainer.syncBatchnorm || !normalisesBatches())
            return;
        const std::int64_t calls = m_batches * m_recipe.model.encoder.nLayers, width = m_recipe.model.encoder.dModel;
        add("sync_batchnorm", "all-gather", "forward", "float32", calls, calls * (2 * width + 1) * kFloatBytes, true);
        add("sync_batchnorm", "all-reduce", "backward", "float32", calls, calls * 2 * width * kFloatBytes, true);
    }

    void gradients() {
        const auto& trainer = m_recipe.trainer;
        if (trainer.commHook != "noop_hook") {
            const bool half = trainer.commHook == "fp16_compress_hook",
                       brain = trainer.commHook == "bf16_compress_hook";
            const auto buckets = gradientBuckets(trainer, m_shapes);
            const std::int64_t elements = std::accumulate(buckets.begin(), buckets.end(), std::int64_t{0});
            add("gradient", "all-reduce", "backward",
                half    ? "float16"
                : brain ? "bfloat16"
                        : "float32",
                static_cast<std::int64_t>(buckets.size()), elements * (half || brain ? 2 : kFloatBytes), false)
                .certain = findsUnused(trainer) || buckets.size() == 1;
        }
        if (findsUnused(trainer) && !trainer.staticGraph)
            add("untagged", "all-reduce", "backward", "int32", 1,
                static_cast<std::int64_t>(trainableTensors(m_shapes).size()) * 4, false);
    }

    const config::Recipe& m_recipe;
    const std::vector<TensorShape>& m_shapes;
    std::int64_t m_batches;
    std::vector<CollectivePlan> m_plan;
};

} // namespace

std::vector<std::int64_t> gradientBuckets(const config::TrainerConfig& trainer,
                                          const std::vector<TensorShape>& shapes) {
    const Limits limits = limitsOf(trainer);
    if (!findsUnused(trainer) || trainer.staticGraph)
        return filled(shapes, gradientOrder(shapes), limits);
    auto buckets = filled(shapes, trainableTensors(shapes), limits); // in the model's order, sent from its end
    std::reverse(buckets.begin(), buckets.end());
    return buckets;
}

std::vector<CollectivePlan> planCollectives(const config::Recipe& recipe, const std::vector<TensorShape>& shapes,
                                            int ranks) {
    const bool group = ranks > 1 || !recipe.trainer.processGroupBackend.empty();
    return group ? Collectives(recipe, shapes).take() : std::vector<CollectivePlan>{};
}

} // namespace rankscope::plan
