// SPDX-License-Identifier: Apache-2.0
#include "core/plan/cost/step_collectives.h"

#include "core/base/values/saturating.h"
#include "core/plan/cost/count_terms.h"
#include "core/plan/cost/gradient_buckets.h"

#include <algorithm>
#include <numeric>

namespace rankscope::plan {
namespace {

using InBatches = PlannedCollective::InBatches;

std::vector<std::size_t> tensorsThat(const std::vector<TensorShape>& shapes, bool (*wanted)(const TensorShape&)) {
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < shapes.size(); ++i)
        if (!shapes[i].again && wanted(shapes[i]))
            places.push_back(i);
    return places;
}

bool isBuffer(const TensorShape& tensor) {
    return tensor.buffer;
}
bool isFrozen(const TensorShape& tensor) {
    return !tensor.buffer && !tensor.trainable;
}
bool isParameter(const TensorShape& tensor) {
    return !tensor.buffer;
}

/// From linear_pos, the first of an attention's operations in modelShapes(), to after linear_q, the fourth.
constexpr std::int64_t kAfterQueries = 40;

bool isChannelProduct(const std::string& name) {
    return name.ends_with("pointwise_conv1.weight") || name.ends_with("pointwise_conv2.weight") ||
           name == "decoder.decoder_layers.0.weight";
}

/// Returns the mel frames to which the longest utterance is padded; 0: there is no limit.
std::int64_t longestFrames(const config::Recipe& recipe) {
    const auto& mel = recipe.model.preprocessor;
    if (recipe.train.maxDuration <= 0 || mel.hopLength() <= 0)
        return 0;
    const std::int64_t frames = saturatingInt64(recipe.train.maxDuration * mel.sampleRate) / mel.hopLength() + 1;
    const std::int64_t block = std::max(1, mel.padTo);
    return (frames + block - 1) / block * block;
}

class SequenceBuilder {
public:
    SequenceBuilder(Trainer trainer, const config::Recipe& recipe, const std::vector<TensorShape>& shapes, int ranks)
        : m_trainer(trainer), m_recipe(recipe), m_settings(isNemo() ? asNemoReads(recipe.trainer) : recipe.trainer),
          m_shapes(isNemo() ? nemoShapes(recipe.model, shapes) : shapes), m_ranks(ranks),
          m_buckets(gradientBuckets(m_settings, m_shapes)) {}

    TrainerCollectives take() && {
        TrainerCollectives all;
        all.trainer = m_trainer;
        if (isNemo() && syncsBatchNorm() && m_settings.accelerator == "cpu")
            all.obstacle = "on the CPU NeMo stops in the first forward: PyTorch's SyncBatchNorm takes tensors of a GPU "
                           "only. The trainer of Rankscope has its own";
        all.batches = std::max(1, m_settings.accumulateGradBatches);
        all.oneBucketSteps = searchesUnused(m_settings) ? 0 : m_settings.staticGraph ? 2 : 1;
        fill(all.start, [&] { start(); });
        fill(all.firstStep, [&] {
            forward();
            firstBackward();
            afterBatch();
        });
        fill(all.rebuild, [&] { bucketOrder(); });
        fill(all.step, [&] {
            forward();
            backward();
            afterBatch();
        });
        fill(all.validation, [&] { validation(); });
        return all;
    }

private:
    bool isNemo() const { return m_trainer == Trainer::NeMo; }
    bool hasBatchNorm() const { return m_recipe.model.encoder.convNormType == "batch_norm"; }
    bool syncsBatchNorm() const { return m_settings.syncBatchnorm && hasBatchNorm(); }
    /// PyTorch broadcasts buffers whatever they are; rankscope-trainer does while running averages may differ.
    bool broadcastsBuffers() const {
        return m_settings.broadcastBuffers && (isNemo() || (hasBatchNorm() && !m_settings.syncBatchnorm));
    }

    template <class Fill> void fill(std::vector<PlannedCollective>& list, const Fill& fillIt) {
        m_list = &list;
        fillIt();
    }

    PlannedCollective& add(std::string tag, std::string op, std::string phase, std::string dtype,
                           std::vector<CountTerm> terms, InBatches when = InBatches::Every) {
        PlannedCollective c{std::move(tag), std::move(op), std::move(phase), std::move(dtype), when};
        c.elements = std::accumulate(terms.begin(), terms.end(), std::int64_t{0},
                                     [](std::int64_t sum, const CountTerm& term) { return sum + term.count(); });
        c.elementsOut = c.op == "all-gather" ? c.elements * m_ranks : c.elements;
        c.terms = std::move(terms);
        m_list->push_back(std::move(c));
        return m_list->back();
    }

    void broadcast(const std::string& tag, const std::string& phase, const std::vector<std::size_t>& tensors,
                   InBatches when) {
        for (const CoalescedTensors& part : coalesced(m_shapes, tensors))
            add(tag, "broadcast", phase, part.dtype, countTerms(m_shapes, part.tensors), when).certain =
                !isNemo() || part.dtype != "float32" || !tableMayGrow();
    }
    /// Returns whether a batch may need a longer position table than the one that NeMo made at the start. NeMo compares
    /// its length with mel frames, before sub-sampling.
    bool tableMayGrow() const {
        const auto& encoder = m_recipe.model.encoder;
        const std::int64_t longest = longestFrames(m_recipe);
        return encoder.selfAttentionModel != "rel_pos_local_attn" && (longest == 0 || longest > encoder.posEmbMaxLen);
    }

    void start() {
        const auto parameters = trainableTensors(m_shapes);
        add("ddp:verify_parameters", "all-gather", "start", "int64", {{{1}, "number of parameter tensors"}});
        std::int64_t sizes = 0;
        for (const std::size_t place : parameters)
            sizes += static_cast<std::int64_t>(m_shapes[place].shape.size());
        add("ddp:verify_parameters", "broadcast", "start", "int64",
            {{{2, sizes}, "sizes and strides of the parameters"}});
        const auto buffers = tensorsThat(m_shapes, isBuffer);
        if (isNemo()) {
            auto states = tensorsThat(m_shapes, isParameter);
            if (m_settings.broadcastBuffers)
                states.insert(states.end(), buffers.begin(), buffers.end());
            broadcast("broadcast:module_states", "start", states, InBatches::First);
            for (PlannedCollective& one : *m_list)
                one.certain = true; // the table has its first length
        } else {
            broadcast("broadcast:parameters", "start", parameters, InBatches::First);
            broadcast("broadcast:parameters", "start", tensorsThat(m_shapes, isFrozen), InBatches::First);
            broadcast("broadcast:buffers", "start", buffers, InBatches::First);
        }
    }

    void forward() {
        // only a forward after an exchange of gradients: the first batch of a step
        if (broadcastsBuffers())
            broadcast("broadcast:buffers", "forward", tensorsThat(m_shapes, isBuffer), InBatches::First);
        lengthSync();
        if (syncsBatchNorm()) {
            const std::int64_t width = m_recipe.model.encoder.dModel;
            auto& gather = add("sync_batchnorm", "all-gather", "forward", "float32",
                               {{{2, width}, "mean and inverse deviation of each channel"}, {{1}, "number of values"}});
            gather.calls = m_recipe.model.encoder.nLayers;
        }
    }

    void lengthSync() {
        const auto& sync = m_recipe.rankscope.lengthSync;
        if (!isNemo() && sync.barrier)
            add("barrier:before_encoder", "barrier", "forward", "", {});
        if (m_recipe.model.encoder.syncMaxAudioLength)
            add("sync_max_audio_length", "all-reduce", "forward",
                !isNemo() && sync.timeoutSeconds ? "int64" : "float32", {{{1}, "length of the longest batch"}});
    }

    PlannedCollective& statistics() {
        return add("sync_batchnorm", "all-reduce", "backward", "float32",
                   {{{2, m_recipe.model.encoder.dModel}, "sums of gradients of each channel"}});
    }

    std::string gradientType() const {
        return m_settings.commHook == "fp16_compress_hook"   ? "float16"
               : m_settings.commHook == "bf16_compress_hook" ? "bfloat16"
                                                             : "float32";
    }
    bool sendsGradients() const { return m_settings.commHook != "noop_hook"; }

    void gradient(const GradientBucket& bucket) {
        if (!sendsGradients())
            return;
        auto& sent = add("gradient", "all-reduce", "backward", gradientType(), countTerms(m_shapes, bucket.tensors),
                         InBatches::Last);
        sent.blocks = false;
        sent.certain = searchesUnused(m_settings) || m_buckets.size() == 1;
    }

    /// Adds one number per parameter tensor, which DDP exchanges to know which ones were used.
    void usedParameters() {
        const auto count = static_cast<std::int64_t>(trainableTensors(m_shapes).size());
        add(isNemo() ? "ddp:used_parameters" : "untagged", "all-reduce", "backward", "int32",
            {{{count}, "number of parameter tensors"}}, InBatches::Last)
            .blocks = false;
    }

    /// The order of gradients is not yet known: all are in one bucket.
    void firstBackward() {
        if (searchesUnused(m_settings))
            return backward();
        if (syncsBatchNorm())
            statistics().calls = m_recipe.model.encoder.nLayers;
        if (m_settings.staticGraph)
            usedParameters();
        GradientBucket whole{0, trainableTensors(m_shapes)};
        gradient(whole);
    }

    void backward() {
        for (const auto& bucket : m_buckets) {
            if (syncsBatchNorm())
                statisticsWithin(bucket);
            gradient(bucket);
        }
        if (searchesUnused(m_settings))
            usedParameters();
    }

    /// Adds the exchanges of the batch norms whose gradients come while this bucket fills: each is before the
    /// gradients of its weight and bias.
    void statisticsWithin(const GradientBucket& bucket) {
        const auto begun = std::ranges::count_if(bucket.tensors, [&](std::size_t place) {
            const std::string& name = m_shapes[place].name;
            return name.ends_with("batch_norm.bias"); // ready first, together with the weight
        });
        if (begun > 0)
            statistics().calls = begun;
    }

    /// Adds the end of a batch: the exchange of max_time's clock.
    void afterBatch() {
        if (m_settings.maxTimeSeconds <= 0)
            return;
        if (!isNemo()) {
            add("metrics", "all-reduce", "step", "float32", {{{1}, "time that has passed"}}, InBatches::Last);
            return;
        }
        // Lightning's Timer broadcasts a Python object: its size, then its pickle
        add("lightning:max_time", "broadcast", "step", "int64", {{{1}, "size of the decision"}});
        add("lightning:max_time", "broadcast", "step", "uint8", {{{4}, "decision to stop, pickled"}});
    }

    /// DDP rebuilds its buckets before the second forward, and takes rank 0's.
    void bucketOrder() {
        if (searchesUnused(m_settings))
            return;
        const auto count = static_cast<std::int64_t>(trainableTensors(m_shapes).size());
        add("ddp:bucket_order", "broadcast", "forward", "int32",
            {{{count}, "number of parameter tensors"}, {{1}, "number of buckets"}}, InBatches::First);
        auto& sizes = add("ddp:bucket_order", "broadcast", "forward", "int32",
                          {{{static_cast<std::int64_t>(m_buckets.size())}, "size of each bucket"}}, InBatches::First);
        sizes.certain = m_buckets.size() == 1;
    }

    void validation() {
        const bool buffers = isNemo() ? m_settings.broadcastBuffers : !m_settings.syncBatchnorm;
        if (buffers)
            broadcast("broadcast:buffers", "forward", tensorsThat(m_shapes, isBuffer), InBatches::First);
        lengthSync();
    }

    Trainer m_trainer;
    const config::Recipe& m_recipe;
    config::TrainerConfig m_settings;
    std::vector<TensorShape> m_shapes;
    int m_ranks;
    std::vector<GradientBucket> m_buckets;
    std::vector<PlannedCollective>* m_list = nullptr;
};

} // namespace

TrainerCollectives plannedCollectives(Trainer trainer, const config::Recipe& recipe,
                                      const std::vector<TensorShape>& shapes, int ranks) {
    if (ranks > 1 || !recipe.trainer.processGroupBackend.empty())
        return SequenceBuilder(trainer, recipe, shapes, ranks).take();
    TrainerCollectives none;
    none.trainer = trainer;
    return none;
}

std::vector<TensorShape> nemoShapes(const config::ModelConfig& model, const std::vector<TensorShape>& shapes) {
    const auto& encoder = model.encoder;
    std::int64_t positions = encoder.posEmbMaxLen;
    if (encoder.selfAttentionModel == "rel_pos_local_attn")
        positions = std::int64_t{encoder.attContextSize[0]} + encoder.attContextSize[1] + 1;
    else if (encoder.selfAttentionModel != "abs_pos")
        positions = 2 * positions - 1;
    TensorShape table{"encoder.pos_enc.pe", {1, positions, encoder.dModel}};
    table.buffer = true;
    table.trainable = false;
    auto all = shapes;
    // Two things differ in backward. Products over channels are convolutions of one frame there, whose weight has its
    // gradient before the bias; and positions are projected after queries, keys and values.
    for (std::size_t i = 0; i + 1 < all.size(); ++i) {
        if (isChannelProduct(all[i].name) && all[i + 1].name.ends_with(".bias"))
            std::swap(all[i].usedAt, all[i + 1].usedAt);
        if (all[i].name.ends_with("self_attn.linear_pos.weight"))
            all[i].usedAt += kAfterQueries;
    }
    const auto layers =
        std::ranges::find_if(all, [](const TensorShape& tensor) { return tensor.name.starts_with("encoder.layers."); });
    all.insert(layers, std::move(table));
    return all;
}

config::TrainerConfig asNemoReads(const config::TrainerConfig& trainer) {
    config::TrainerConfig read = trainer;
    if (trainer.ddpInStrategy)
        return read;
    const config::TrainerConfig defaults;
    read.findUnusedParameters = trainer.strategySearchesUnused;
    read.gradientAsBucketView = defaults.gradientAsBucketView;
    read.broadcastBuffers = defaults.broadcastBuffers;
    read.staticGraph = defaults.staticGraph;
    read.bucketCapMb = defaults.bucketCapMb;
    read.commHook = defaults.commHook;
    return read;
}

} // namespace rankscope::plan
