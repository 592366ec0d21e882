// SPDX-License-Identifier: Apache-2.0
#include "core/explain/collectives/recipe_step.h"

#include "core/plan/cost/collective_plan.h"
#include "core/plan/cost/model_shapes.h"

#include <algorithm>
#include <array>

namespace rankscope::explain {
namespace {

constexpr int kLongBytes = 8; // num_batches_tracked

struct NestSize {
    const char* name;
    int layers, width, heads, kernel;
    bool bias, scaled;
};
constexpr std::array kNestSizes{
    NestSize{"small", 16, 176, 4, 9, true, true}, NestSize{"medium", 16, 256, 4, 9, true, true},
    NestSize{"large", 17, 512, 8, 9, true, true}, NestSize{"xlarge", 24, 1024, 8, 9, false, false},
    NestSize{"xxlarge", 42, 1024, 8, 5, false, false}};

/// Returns the frames of the position table that NeMo makes for pos_emb_max_len.
std::int64_t tableRows(const config::EncoderConfig& encoder) {
    if (encoder.selfAttentionModel == "abs_pos")
        return encoder.posEmbMaxLen;
    if (encoder.selfAttentionModel == "rel_pos_local_attn")
        return std::int64_t{encoder.attContextSize[0]} + encoder.attContextSize[1] + 1;
    return 2 * std::int64_t{encoder.posEmbMaxLen} - 1;
}

bool normalisesBatches(const config::Recipe& recipe) {
    return recipe.model.encoder.convNormType == "batch_norm";
}

class StepBuilder {
public:
    StepBuilder(RecipeStep step, const config::Recipe& recipe)
        : m_step(std::move(step)), m_recipe(recipe), m_shapes(plan::modelShapes(recipe.model)) {}

    RecipeStep take() && {
        buffers();
        lengthSync();
        batchNorm();
        gradients();
        return std::move(m_step);
    }

private:
    bool nemo() const { return m_step.trainer == "nemo"; }

    void add(std::string tag, CollectiveOp op, std::string dtype, std::int64_t elements, Message name,
             Message arithmetic) {
        m_step.calls.push_back(
            {std::move(tag), op, std::move(dtype), elements, std::move(name), std::move(arithmetic)});
    }

    std::int64_t elementsOf(std::string_view ending) const {
        std::int64_t sum = 0;
        for (const auto& tensor : m_shapes)
            if (tensor.buffer && tensor.name.ends_with(ending))
                sum += tensor.count();
        return sum;
    }

    /// Adds the broadcast of rank 0's buffers, one call for each type.
    void buffers() {
        if (!m_recipe.trainer.broadcastBuffers)
            return;
        const auto& encoder = m_recipe.model.encoder;
        const bool norms = normalisesBatches(m_recipe);
        if (!nemo() && (!norms || m_recipe.trainer.syncBatchnorm))
            return;
        std::int64_t floats = 0, longs = 0;
        for (const auto& tensor : m_shapes)
            if (tensor.buffer)
                (tensor.elementBytes == kLongBytes ? longs : floats) += tensor.count();
        Message terms;
        if (nemo()) {
            floats += tableRows(encoder) * encoder.dModel;
            terms = {"{} x {} (position table)", Count{tableRows(encoder)}, Count{encoder.dModel}};
        }
        if (norms)
            terms =
                plusTerm(terms, {"{} x 2 x {} (batch norm statistics)", Count{encoder.nLayers}, Count{encoder.dModel}});
        const std::int64_t features = std::max(1, m_recipe.model.preprocessor.features);
        terms = plusTerm(terms, {"{} x {} (mel filter bank)", Count{features}, Count{elementsOf(".fb") / features}});
        terms = plusTerm(terms, {"{} (window)", Count{elementsOf(".window")}});
        add("broadcast:buffers", CollectiveOp::Broadcast, "float32", floats, floatBuffersName(), std::move(terms));
        if (longs > 0)
            add("broadcast:buffers", CollectiveOp::Broadcast, "int64", longs,
                "DDP's broadcast of rank 0's batch norm counters, before a forward",
                {"{} (batch norms)", Count{longs}});
    }

    void lengthSync() {
        if (!m_recipe.model.encoder.syncMaxAudioLength)
            return;
        const bool timed = !nemo() && m_recipe.rankscope.lengthSync.timeoutSeconds.has_value();
        add("sync_max_audio_length", CollectiveOp::AllReduce, timed ? "int64" : "float32", 1, lengthSyncName(),
            "1 (the longest input of the batch)");
    }

    void batchNorm() {
        if (!m_recipe.trainer.syncBatchnorm || !normalisesBatches(m_recipe))
            return;
        const std::int64_t width = m_recipe.model.encoder.dModel;
        add("sync_batchnorm", CollectiveOp::AllGather, "float32", 2 * width + 1, batchNormGatherName(),
            {"2 x {} + 1 (mean and variance of each channel, and a count)", Count{width}});
        add("sync_batchnorm", CollectiveOp::AllReduce, "float32", 2 * width,
            "SyncBatchNorm's all-reduce of gradient sums, in backward",
            {"2 x {} (two sums for each channel)", Count{width}});
    }

    void gradients() {
        const auto buckets = plan::gradientBuckets(m_recipe.trainer, m_shapes);
        const std::string& hook = m_recipe.trainer.commHook;
        const char* const dtype = hook == "fp16_compress_hook"   ? "float16"
                                  : hook == "bf16_compress_hook" ? "bfloat16"
                                                                 : "float32";
        std::int64_t all = 0;
        for (std::size_t i = 0; i < buckets.size(); ++i) {
            all += buckets[i];
            add("gradient", CollectiveOp::AllReduce, dtype, buckets[i],
                {"DDP's all-reduce of gradients, bucket {} of {}", i + 1, buckets.size()},
                {"{} (parameters of the bucket)", Count{buckets[i]}});
        }
        if (buckets.size() > 1)
            add("gradient", CollectiveOp::AllReduce, dtype, all,
                "DDP's all-reduce of all gradients in one bucket, in the first step",
                {"{} (trainable parameters)", Count{all}});
    }

    RecipeStep m_step;
    const config::Recipe& m_recipe;
    std::vector<plan::TensorShape> m_shapes;
};

} // namespace

Message plusTerm(const Message& sum, const Message& term) {
    return sum.empty() ? term : Message("{} + {}", sum, term);
}

Message lengthSyncName() {
    return "the length sync before the encoder (sync_max_audio_length)";
}

Message batchNormGatherName() {
    return "SyncBatchNorm's all-gather of batch statistics, in forward";
}

Message floatBuffersName() {
    return "DDP's broadcast of rank 0's float buffers, before a forward";
}

RecipeStep nemoStep(std::string name, const config::Recipe& recipe) {
    return StepBuilder({std::move(name), "nemo", {}}, recipe).take();
}

RecipeStep rankscopeStep(std::string name, const config::Recipe& recipe) {
    return StepBuilder({std::move(name), "rankscope", {}}, recipe).take();
}

config::Recipe nestRecipe(const std::string& size) {
    config::Recipe recipe;
    const auto found = std::ranges::find(kNestSizes, size, &NestSize::name);
    const NestSize& nest = found == kNestSizes.end() ? kNestSizes[2] : *found;
    recipe.trainer.syncBatchnorm = true;
    recipe.model.preprocessor.windowSize = 0.025;
    recipe.model.preprocessor.features = 80;
    recipe.model.preprocessor.nFft = 512;
    auto& encoder = recipe.model.encoder;
    encoder.nLayers = nest.layers;
    encoder.dModel = nest.width;
    encoder.nHeads = nest.heads;
    encoder.useBias = nest.bias;
    encoder.xscaling = nest.scaled;
    encoder.subsampling = "dw_striding";
    encoder.subsamplingFactor = 8;
    encoder.subsamplingConvChannels = 256;
    encoder.convKernelSize = nest.kernel;
    recipe.model.decoder.featIn = nest.width;
    recipe.model.decoder.useBias = true;
    recipe.model.quantizer.combineTimeSteps = 8;
    return recipe;
}

std::vector<RecipeStep> knownSteps() {
    std::vector<RecipeStep> steps;
    for (const NestSize& nest : kNestSizes)
        steps.push_back(nemoStep(std::string("nest_") + nest.name + ".yaml", nestRecipe(nest.name)));
    return steps;
}

} // namespace rankscope::explain
