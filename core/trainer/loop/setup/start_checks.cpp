// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/loop/setup/start_checks.h"

#include "core/base/text/unit_format.h"
#include "core/base/values/result.h"
#include "core/trainer/checkpoint/train_state.h"
#include "core/trainer/checks/rank_figures.h"
#include "core/trainer/distributed/parallel/model_collectives.h"
#include "core/trainer/exception_text.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

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

bool hasBatchNorm(const RankRuntime& rank) {
    return rank.model->config().encoder.convNormType == "batch_norm";
}

/// Returns a hash of names, types and shapes.
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
    /// Adds a value in which ranks must not differ if they are to start.
    void same(const char* key, std::string value) { m_figures.push_back({m_check, key, std::move(value), true}); }
    void alike(const char* key, std::string value) { m_figures.push_back({m_check, key, std::move(value), false}); }

private:
    std::vector<Figure>& m_figures;
    std::string m_check;
};

void addSettings(const RankRuntime& rank, Collector& all) {
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

void addLoader(const RankRuntime& rank, Collector& all) {
    const auto& train = rank.recipe.train;
    all.check("loader");
    all.same("model.train_ds.batch_size", std::to_string(train.batchSize));
    all.same("model.train_ds.drop_last", word(train.dropLast));
    all.same("model.train_ds.shuffle", word(train.shuffle));
    all.same("trainer.use_distributed_sampler", word(rank.recipe.trainer.useDistributedSampler));
    if (train.tarred.enabled) // they follow from num_workers unless the recipe sets them
        all.same("rankscope.data.tar_readers", std::to_string(train.readers()));
    all.alike("model.train_ds.num_workers", std::to_string(train.numWorkers));
    all.alike("model.train_ds.prefetch_factor", std::to_string(train.prefetchFactor));
    all.alike("model.train_ds.pin_memory", word(train.pinMemory && rank.device.is_cuda()));
}

void addData(const RankRuntime& rank, Collector& all) {
    all.check("dataset");
    all.same("utterances", std::to_string(rank.loader->utterances()));
    all.same("content", fmt::format("{:016x}", rank.loader->contentHash()));
    all.check("batches_per_epoch");
    all.same("batches of training", std::to_string(rank.plan.batchesPerEpoch));
    all.same("batches of validation", std::to_string(rank.validation.batches()));
}

void addModel(const RankRuntime& rank, Collector& all) {
    std::int64_t parameters = 0;
    for (const auto& parameter : rank.parameters)
        parameters += parameter.numel();
    all.check("model");
    all.same("parameters", formatCount(parameters));
    all.same("layout", fmt::format("{:016x}", layoutHash(rank.model)));
    all.check("devices");
    all.same("type", rank.device.is_cuda() ? "cuda" : "cpu");
}

/// Returns the values that act on this rank, taken from the built objects and not from the recipe.
RankFigures figuresOf(const RankRuntime& rank) {
    RankFigures out{rank.me.rank, {}, hostName(), rank.device.str(), rank.configText, rank.recipe.configHash};
    Collector all(out.figures);
    addSettings(rank, all);
    addLoader(rank, all);
    addData(rank, all);
    addModel(rank, all);
    return out;
}

/// "effective_values": fails if a requested value does not act on this rank.
CheckResult checkEffectiveValues(const RankRuntime& rank) {
    constexpr const char* kName = "effective_values";
    const auto& recipe = rank.recipe;
    const bool asked = recipe.model.encoder.syncMaxAudioLength, acts = rank.model->config().encoder.syncMaxAudioLength;
    if (asked != acts) {
        return CheckResult::failed(
            kName, false, // if ranks differ in it, "settings" stops them
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
        add("one rank: nothing is synchronized");
    if (!asked && recipe.rankscope.lengthSync.timeoutSeconds)
        add("rankscope.length_sync.timeout_s has no effect: sync_max_audio_length is false");
    return CheckResult::passed(kName, text.empty() ? "as configured" : "as configured, but: " + text);
}

ProcessLayout layoutOf(const RankRuntime& rank) {
    const auto& trainer = rank.recipe.trainer;
    return {trainer.devices, trainer.numNodes, rank.me.worldSize, rank.led, trainer.processGroupBackend == "gloo"};
}

using telemetry::CheckStatus;

constexpr std::int64_t kMostShared = 50'000'000;         // largest set whose shares are compared: 4 bytes an utterance
constexpr auto kAckTimeout = std::chrono::seconds(10);   // how long the others have to read why the run ends
constexpr auto kFirstTimeout = std::chrono::seconds(10); // normally no wait: a rank publishes inside its step

std::string textOf(const std::vector<std::uint8_t>& bytes) {
    return {bytes.begin(), bytes.end()};
}

std::vector<std::string> keysOf(const char* what, int worldSize) {
    std::vector<std::string> keys;
    keys.reserve(static_cast<std::size_t>(worldSize));
    for (int r = 0; r < worldSize; ++r)
        keys.push_back(fmt::format("check/{}/{}", what, r));
    return keys;
}

constexpr const char* kFigures = "figures";
constexpr const char* kRead = "read";
constexpr const char* kFirst = "first";
constexpr const char* kVerdict = "check/verdict";

/// Returns the figures that every rank published under `what`, in rank order. Throws what the store throws.
Result<std::vector<RankFigures>> gather(c10d::Store& store, const char* what, int worldSize,
                                        std::chrono::milliseconds timeout) {
    const auto keys = keysOf(what, worldSize);
    store.wait(keys, timeout);
    std::vector<RankFigures> all;
    for (int r = 0; r < worldSize; ++r) {
        RS_TRY_ASSIGN(auto figures, decodeFigures(textOf(store.get(keys[static_cast<std::size_t>(r)])), r));
        all.push_back(std::move(figures));
    }
    return all;
}

Result<std::vector<CheckResult>> judge(RankRuntime& rank, c10d::Store& store, std::chrono::milliseconds timeout) {
    RS_TRY_ASSIGN(auto all, gather(store, kFigures, rank.me.worldSize, timeout));
    std::vector<CheckResult> results = compareFigures(all);
    results.insert(results.begin(), compareConfigurations(all));
    results.push_back(checkProcesses(layoutOf(rank), all));
    return results;
}

/// Rank 0 compares and sends the result to the others.
Result<std::vector<CheckResult>> verdict(RankRuntime& rank, c10d::Store& store, std::chrono::milliseconds timeout) {
    if (rank.me.rank != 0) {
        store.wait({kVerdict}, timeout);
        auto results = decodeResults(textOf(store.get(kVerdict)), "rank 0");
        store.set(fmt::format("check/{}/{}", kRead, rank.me.rank), std::string("1"));
        return results;
    }
    auto results = judge(rank, store, timeout);
    // figures that cannot be read stop all ranks
    store.set(kVerdict,
              encodeResults(results ? *results
                                    : std::vector{CheckResult::failed("settings", true, results.error().message())}));
    if (results && stopReason(*results))
        return results;
    try { // the store ends with this process, so let the others read the reason first
        store.set(fmt::format("check/{}/0", kRead), std::string("1"));
        store.wait(keysOf(kRead, rank.me.worldSize), kAckTimeout);
    } catch (const std::exception& error) {
        rank.log.warning(fmt::format("not every rank has read why the run ends: {}", firstLine(error)));
    }
    return results;
}

CheckResult sharesOf(RankRuntime& rank) {
    constexpr const char* kName = "shards";
    if (!rank.recipe.trainer.useDistributedSampler)
        return CheckResult::skipped(kName, "trainer.use_distributed_sampler is false: every rank reads the whole set");
    const EpochShard share = rank.loader->share(0);
    if (!share.notShared.empty())
        return CheckResult::skipped(kName, share.notShared);
    if (share.utterances > kMostShared)
        return CheckResult::skipped(kName, fmt::format("{} utterances are too many to compare", share.utterances));
    std::vector<std::int32_t> ranksWith = utterancePresence(share);
    const std::vector<std::int32_t> mine = rank.group ? ranksWith : std::vector<std::int32_t>{};
    if (rank.group && !ranksWith.empty()) {
        const auto host = torch::from_blob(ranksWith.data(), {share.utterances}, torch::kInt32);
        auto sum = host.to(rank.device); // shares memory with `host` on the CPU
        CollectiveTag tag("check:shards", CollectiveTag::Exposure::Kept);
        rank.group->allReduce(sum, c10d::ReduceOp::SUM, tag);
        host.copy_(sum);
    }
    // (all ranks get the same sum, so either all of them call this or none does)
    const auto whoHas = [&](std::int64_t row) {
        std::vector<int> ranks;
        const auto has = gatherNumbers(*rank.group, mine[static_cast<std::size_t>(row)], "check:shards");
        for (std::size_t r = 0; r < has.size(); ++r)
            if (has[r] != 0)
                ranks.push_back(static_cast<int>(r));
        return ranks;
    };
    return checkShards(share, ranksWith, rank.me.worldSize,
                       rank.group ? std::function<std::vector<int>(std::int64_t)>(whoHas) : nullptr);
}

/// Rank 0 reports results that concern all ranks; every rank reports one that ends the run.
Result<void> tell(RankRuntime& rank, const CheckResult& result) {
    auto reason = stopReason({result});
    if (rank.me.rank == 0 || !reason)
        note(rank, {result});
    return reason;
}

} // namespace

void note(RankRuntime& rank, const std::vector<CheckResult>& results) {
    for (const CheckResult& result : results) {
        telemetry::CheckRecord record = recordOf(result);
        record.header.step = rank.telemetry->step();
        rank.telemetry->journal().append(record);
        if (result.status == CheckStatus::Failed) {
            const std::string text = fmt::format("check {} failed: {}", result.name, result.text);
            result.stops ? rank.log.error(text) : rank.log.warning(text);
        }
    }
}

Result<void> checkSettings(RankRuntime& rank, c10d::Store& store, std::chrono::milliseconds timeout) {
    const std::string where = fmt::format("rank {}", rank.me.rank);
    try {
        if (store.add(fmt::format("check/process/{}", rank.me.rank), 1) > 1) {
            return fail(Errc::BadInput,
                        {"another process also claims to be rank {}: each process needs its own RANK", rank.me.rank},
                        where);
        }
        note(rank, {checkEffectiveValues(rank)});
        store.set(fmt::format("check/{}/{}", kFigures, rank.me.rank), encodeFigures(figuresOf(rank)));
        RS_TRY_ASSIGN(const auto results, verdict(rank, store, timeout));
        auto reason = stopReason(results);
        if (rank.me.rank == 0)
            note(rank, results);
        return reason;
    } catch (const std::exception& error) {
        return fail(Errc::Io,
                    {"the checks before the start did not end within {} s, or rank 0 has left: {}",
                     timeout.count() / 1000, firstLine(error)},
                    where);
    }
}

void checkAlone(RankRuntime& rank) {
    const RankFigures mine = figuresOf(rank);
    note(rank, {checkEffectiveValues(rank), checkProcesses(layoutOf(rank), {&mine, 1}), sharesOf(rank)});
}

Result<void> checkShares(RankRuntime& rank) {
    return tell(rank, sharesOf(rank));
}

Result<void> checkInitialWeights(RankRuntime& rank) {
    constexpr const char* kName = "initial_weights";
    const std::uint64_t mine = stateHash(rank.model->stateDict());
    const auto others = ranksWithOtherHash(*rank.group, mine, "check:initial_weights");
    if (others.empty())
        return tell(rank, CheckResult::passed(kName, fmt::format("parameters and buffers are the same on all ranks "
                                                                 "({:016x})",
                                                                 mine)));
    return tell(rank,
                CheckResult::failed(kName, true,
                                    fmt::format("parameters or buffers of {} differ from rank 0's after they were "
                                                "broadcast",
                                                ranksText(others))));
}

void FirstBatchCheck::see(const Batch& batch, const torch::Tensor& mel, const std::vector<std::int64_t>& lengths) {
    const auto& recipe = m_rank.recipe;
    const auto& preprocessor = recipe.model.preprocessor;
    const bool buckets = recipe.train.buckets.size() > 1;
    FirstBatch facts;
    facts.shape = {mel.size(0), mel.size(1), mel.size(2)};
    facts.device = mel.device().str();
    facts.expectedDevice = m_rank.device.str();
    facts.configuredSize = buckets ? 0 : recipe.train.batchSize;
    facts.features = preprocessor.features * preprocessor.frameSplicing;
    facts.samples = batch.samples;
    facts.lengths = lengths;
    facts.hop = std::max<std::int64_t>(1, preprocessor.hopLength());
    facts.notFinite = torch::isfinite(mel).logical_not().sum().item<std::int64_t>();
    m_own = checkFirstBatch(facts);
    std::vector<CheckResult> told = m_own;
    if (m_rank.group && m_rank.me.rank != 0 && told.front().status == CheckStatus::Passed)
        told.erase(told.begin()); // rank 0 reports the shapes for all ranks
    note(m_rank, told);
    if (!m_rank.group)
        return;
    const RankFigures mine{m_rank.me.rank, figuresOf(facts), "", facts.device, "", 0};
    try {
        m_rank.group->store().set(fmt::format("check/{}/{}", kFirst, m_rank.me.rank), encodeFigures(mine));
    } catch (const std::exception& error) {
        m_rank.log.warning(fmt::format("the first batch cannot be compared: {}", firstLine(error)));
    }
}

void FirstBatchCheck::conclude() {
    const bool failedHere = !m_own.empty() && m_own.front().status == CheckStatus::Failed;
    if (!m_rank.group || m_rank.me.rank != 0 || failedHere) // rank 0's own failure stays reported
        return;
    CheckResult result;
    try {
        const auto all = gather(m_rank.group->store(), kFirst, m_rank.me.worldSize, kFirstTimeout);
        result = all ? compareFirstBatches(*all) : CheckResult::skipped("first_batch", all.error().message());
    } catch (const std::exception& error) {
        result = CheckResult::skipped("first_batch", firstLine(error));
    }
    note(m_rank, {result});
}

} // namespace rankscope::trainer
