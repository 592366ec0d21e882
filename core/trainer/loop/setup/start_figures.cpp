// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/loop/setup/start_figures.h"

#include "core/base/text/unit_format.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>

namespace rankscope::trainer {
namespace {

std::string word(bool value) {
    return value ? "true" : "false";
}

std::string hostName() {
    std::array<char, 256> name{};
    ::gethostname(name.data(), name.size() - 1);
    return name.data();
}

bool hasBatchNorm(const Rank& rank) {
    return rank.model->config().encoder.convNormType == "batch_norm";
}

/// Of names, types and shapes.
std::uint64_t layoutHash(const NestModel& model) {
    std::uint64_t hash = hash64({});
    for (const auto& [name, tensor] : model->stateDict()) {
        hash = hash64(name, hash);
        hash =
            hash64(fmt::format("{} [{}]", c10::toString(tensor.scalar_type()), c10::Join(",", tensor.sizes())), hash);
    }
    return hash;
}

class Collector {
public:
    explicit Collector(std::vector<Figure>& figures) : m_figures(figures) {}

    void check(const char* name) { m_check = name; }
    /// Ranks that differ here must not start.
    void same(const char* key, std::string value) { m_figures.push_back({m_check, key, std::move(value), true}); }
    void alike(const char* key, std::string value) { m_figures.push_back({m_check, key, std::move(value), false}); }

private:
    std::vector<Figure>& m_figures;
    std::string m_check;
};

void addSettings(const Rank& rank, Collector& all) {
    const auto& trainer = rank.recipe.trainer;
    const auto& sync = rank.recipe.rankscope.lengthSync;
    all.check("settings");
    all.same("model.encoder.sync_max_audio_length", word(rank.model->config().encoder.syncMaxAudioLength));
    all.same("rankscope.length_sync.timeout_s",
             sync.timeoutSeconds ? fmt::format("{:g}", *sync.timeoutSeconds) : "null");
    all.same("rankscope.length_sync.barrier", word(sync.barrier));
    all.same("trainer.sync_batchnorm", word(trainer.syncBatchnorm && hasBatchNorm(rank)));
    all.same("trainer.accumulate_grad_batches", std::to_string(rank.plan.accumulate));
    all.same("trainer.max_steps", std::to_string(rank.plan.maxSteps));
    all.same("trainer.max_epochs", std::to_string(rank.plan.maxEpochs));
    all.same("trainer.strategy.find_unused_parameters", word(trainer.findUnusedParameters));
    all.same("trainer.strategy.static_graph", word(trainer.staticGraph));
    all.same("trainer.strategy.ddp_comm_hook", trainer.commHook.empty() ? "none" : trainer.commHook);
    all.alike("trainer.precision", c10::toString(rank.precision.products()));
    all.same("WORLD_SIZE", std::to_string(rank.me.worldSize));
}

void addLoader(const Rank& rank, Collector& all) {
    const auto& train = rank.recipe.train;
    all.check("loader");
    all.same("model.train_ds.batch_size", std::to_string(train.batchSize));
    all.same("model.train_ds.drop_last", word(train.dropLast));
    all.same("model.train_ds.shuffle", word(train.shuffle));
    all.same("trainer.use_distributed_sampler", word(rank.recipe.trainer.useDistributedSampler));
    all.alike("model.train_ds.num_workers", std::to_string(train.numWorkers));
    all.alike("model.train_ds.prefetch_factor", std::to_string(train.prefetchFactor));
    all.alike("model.train_ds.pin_memory", word(train.pinMemory && rank.device.is_cuda()));
}

void addData(const Rank& rank, Collector& all) {
    all.check("dataset");
    all.same("utterances", std::to_string(rank.loader->utterances()));
    all.same("content", fmt::format("{:016x}", rank.loader->contentHash()));
    all.check("batches_per_epoch");
    all.same("batches of training", std::to_string(rank.plan.batchesPerEpoch));
    all.same("batches of validation", std::to_string(rank.validation.batches()));
}

void addModel(const Rank& rank, Collector& all) {
    std::int64_t parameters = 0;
    for (const auto& parameter : rank.parameters)
        parameters += parameter.numel();
    all.check("model");
    all.same("parameters", formatCount(parameters));
    all.same("layout", fmt::format("{:016x}", layoutHash(rank.model)));
    all.check("devices");
    all.same("type", rank.device.is_cuda() ? "cuda" : "cpu");
}

} // namespace

RankFigures figuresOf(const Rank& rank) {
    RankFigures out{rank.me.rank, {}, hostName(), rank.device.str(), rank.configText, rank.recipe.configHash};
    Collector all(out.figures);
    addSettings(rank, all);
    addLoader(rank, all);
    addData(rank, all);
    addModel(rank, all);
    return out;
}

CheckResult checkEffectiveValues(const Rank& rank) {
    constexpr const char* kName = "effective_values";
    const auto& recipe = rank.recipe;
    const bool asked = recipe.model.encoder.syncMaxAudioLength, acts = rank.model->config().encoder.syncMaxAudioLength;
    if (asked != acts) {
        return CheckResult::failed(
            kName, false, // where ranks differ in it, "settings" stops them
            fmt::format("model.encoder.sync_max_audio_length is {}, the encoder has {}", word(asked), word(acts)));
    }
    std::string text;
    const auto add = [&](std::string what) { text += (text.empty() ? "" : "; ") + std::move(what); };
    if (recipe.train.pinMemory && !rank.device.is_cuda())
        add("pin_memory acts on a GPU only");
    if (!rank.precision.warning().empty())
        add(rank.precision.warning());
    if (recipe.trainer.syncBatchnorm && !hasBatchNorm(rank))
        add("sync_batchnorm has no effect: the encoder has no batch norm");
    if (rank.me.alone() && recipe.trainer.processGroupBackend.empty() && (recipe.trainer.syncBatchnorm || asked))
        add("one rank: nothing is synchronised");
    if (!asked && recipe.rankscope.lengthSync.timeoutSeconds)
        add("rankscope.length_sync.timeout_s has no effect: sync_max_audio_length is false");
    return CheckResult::passed(kName, text.empty() ? "as configured" : "as configured, but: " + text);
}

Layout layoutOf(const Rank& rank) {
    const auto& trainer = rank.recipe.trainer;
    return {trainer.devices, trainer.numNodes, rank.me.worldSize, rank.led, trainer.processGroupBackend == "gloo"};
}

} // namespace rankscope::trainer
