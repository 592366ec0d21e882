// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/loop/setup/resume.h"

#include "core/base/values/result.h"
#include "core/config/effective/key_diff.h"
#include "core/trainer/argument_error.h"
#include "core/trainer/checkpoint/checkpoint_folder.h"
#include "core/trainer/checkpoint/weights.h"
#include "core/trainer/distributed/parallel/model_collectives.h"
#include "core/trainer/loop/setup/start_checks.h"
#include "core/trainer/nn/collective_hooks.h"
#include "core/trainer/optim/optimizers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <set>

namespace rankscope::trainer {
namespace {

namespace fs = std::filesystem;

constexpr const char *kRecipe = "recipe", *kUtterances = "utterances", *kBatches = "batches_per_epoch";
constexpr const char* kTarReading = "tar_reading";
constexpr const char* kPart = "part.";

struct ResumeSource {
    fs::path path;
    bool mustBe = true; ///< a missing checkpoint is an error
    const char* key = "--resume";
};

/// None: the run starts from step 0.
std::optional<ResumeSource> sourceOf(const RankRuntime& rank, const fs::path& runDir, const fs::path& asked) {
    const auto& config = rank.keeping.checkpoint;
    if (!asked.empty())
        return ResumeSource{asked};
    if (!config.resumeFrom.empty())
        return ResumeSource{config.resumeFrom, true, "exp_manager.resume_from_checkpoint"};
    if (config.resumeIfExists && !runDir.empty())
        return ResumeSource{runDir / "checkpoints", !config.mayBeMissing, "exp_manager.resume_if_exists"};
    return std::nullopt;
}

Result<std::optional<NewestCheckpoint>> find(const RankRuntime& rank, const ResumeSource& source) {
    std::error_code ec;
    if (fs::is_regular_file(source.path, ec)) {
        RS_TRY_ASSIGN(auto state, readTrainState(source.path));
        if (const auto bad = firstNotFinite(state.model))
            return tl::unexpected(notFiniteError(source.path, *bad));
        return NewestCheckpoint{std::move(state), source.path, {}};
    }
    RS_TRY_ASSIGN(auto newest, CheckpointFolder::newest(source.path));
    for (const Error& damaged : newest.skipped)
        rank.log.warning(fmt::format("checkpoint {} cannot be used, an older one is looked for: {}",
                                     fs::path(damaged.where).filename().string(), damaged.what.english()));
    if (newest.state)
        return std::optional(std::move(newest));
    if (!newest.skipped.empty())
        return fail(Errc::Malformed, {"contains no usable checkpoint ({})", source.key}, source.path.string());
    if (source.mustBe)
        return fail(Errc::NotFound, {"contains no checkpoint ({})", source.key}, source.path.string());
    return std::optional<NewestCheckpoint>();
}

std::string extraOf(const TrainProgress& progress, const std::string& key) {
    const auto found = progress.extras.find(key);
    return found == progress.extras.end() ? "" : found->second;
}

/// Describes how tar files are read, as far as it determines an epoch's batches and their order. Empty, as in older
/// checkpoints: one file after another, and buckets in a different order each epoch.
std::string tarReading(const config::DatasetConfig& data) {
    if (!data.tarred.enabled)
        return {};
    std::string text = data.readers() > 1 ? fmt::format("by {} readers", data.readers()) : std::string();
    if (data.buckets.size() > 1 && data.bucketing.strategy == "synced_randomized" && !data.bucketing.reorder)
        text += data.readers() > 0 ? ", buckets in one order" : ", buckets in NeMo's order";
    return text;
}

Result<void> fits(const RankRuntime& rank, const TrainState& state, const std::string& where) {
    const TrainProgress& p = state.progress;
    const auto ranks = static_cast<int>(state.rng.size());
    if (ranks != rank.me.worldSize)
        return fail(Errc::BadInput,
                    ranks == 1 ? Message("was written by {} rank, but this run has {}: data shares and random numbers "
                                         "belong to ranks; start {}",
                                         ranks, rank.me.worldSize, ranks)
                               : Message("was written by {} ranks, but this run has {}: data shares and random numbers "
                                         "belong to ranks; start {}",
                                         ranks, rank.me.worldSize, ranks),
                    where);
    RS_TRY(config::checkResumable(extraOf(p, kRecipe), rank.configText, where));
    const auto facts = checkpointFacts(rank);
    if (const auto then = extraOf(p, kTarReading), now = facts.at(kTarReading); then != now)
        return fail(Errc::BadInput,
                    {"tar files were read {}, but are now read {}: restore rankscope.data.tar_readers and "
                     "reorder_buckets (1 and true for a run of an older version)",
                     then.empty() ? Message("one after another") : Message(then),
                     now.empty() ? Message("one after another") : Message(now)},
                    where);
    for (const char* key : {kUtterances, kBatches})
        if (extraOf(p, key) != facts.at(key))
            return fail(Errc::BadInput,
                        {"was written with different data: {} were {}, now {}", key, extraOf(p, key), facts.at(key)},
                        where);
    const std::int64_t total = rank.plan.totalSteps();
    if (total > 0 && p.step > total) // equal: a run that died at its very end, which only has to finish
        return fail(Errc::BadInput,
                    {"was written after {} steps, but this run ends after {}: raise trainer.max_steps or "
                     "trainer.max_epochs",
                     p.step, total},
                    where);
    return {};
}

Result<void> loadParts(RankRuntime& rank, const TrainProgress& progress, const std::string& where) {
    for (const StatePart& part : rank.stateParts) {
        const auto found = progress.extras.find(partKey(part.name));
        if (found == progress.extras.end())
            return fail(Errc::BadInput, {"has no state for {}", part.name}, where);
        RS_TRY(part.load(found->second));
    }
    for (const auto& item : progress.extras)
        if (item.first.starts_with(kPart) &&
            std::none_of(rank.stateParts.begin(), rank.stateParts.end(),
                         [&](const StatePart& part) { return partKey(part.name) == item.first; }))
            return fail(Errc::BadInput, {"has a state for {}, which this run does not use", item.first.substr(5)},
                        where);
    return {};
}

Result<void> load(RankRuntime& rank, const TrainState& state, const std::string& where) {
    try {
        rank.model->loadStateDict(state.model);
    } catch (const ArgumentError& e) {
        return fail(Errc::BadInput, {"does not fit the model: {}", e.error().asMessage()}, where);
    }
    if (auto loaded = loadOptimizerState(*rank.optimizer, state.optimizer); !loaded)
        return fail(loaded.error().code, loaded.error().asMessage(), where);
    if (auto restored = restoreBuffers(rank, state); !restored)
        return fail(restored.error().code, restored.error().asMessage(), where);
    return loadParts(rank, state.progress, where);
}

/// Whether each rank has its own buffers: DistributedDataParallel takes rank 0's before each forward and SyncBatchNorm
/// keeps them equal; without both they differ.
bool ownBuffers(const RankRuntime& rank) {
    const auto& recipe = rank.recipe;
    return rank.me.worldSize > 1 && recipe.model.encoder.convNormType == "batch_norm" &&
           !recipe.trainer.syncBatchnorm && !recipe.trainer.broadcastBuffers;
}

StateDict buffersOf(const RankRuntime& rank) {
    std::set<std::string> names;
    for (const auto& item : rank.model->named_buffers())
        names.insert(item.key());
    StateDict out;
    for (auto& [name, tensor] : rank.model->stateDict())
        if (names.contains(name))
            out.emplace_back(name, tensor);
    return out;
}

torch::Tensor bytesOf(const torch::Tensor& tensor) {
    return tensor.detach().to(torch::kCPU).contiguous().reshape({-1}).view(torch::kUInt8);
}

/// Returns the next bytes as a tensor like `like`.
torch::Tensor take(const torch::Tensor& bytes, std::int64_t& at, const torch::Tensor& like) {
    const auto size = static_cast<std::int64_t>(like.nbytes());
    const auto part = bytes.narrow(0, at, size).clone();
    at += size;
    return part.view(like.scalar_type()).reshape(like.sizes());
}

constexpr std::size_t kNamed = 3; ///< tensors that a message names

template <class Names> std::string some(const Names& names) {
    const auto shown = std::min(names.size(), kNamed);
    return fmt::format("{}{}",
                       fmt::join(names.begin(), std::next(names.begin(), static_cast<std::ptrdiff_t>(shown)), ", "),
                       names.size() > shown ? ", …" : "");
}

/// Copies the file's tensors that `model` has and removes them from `missing`.
Result<void> take(RankRuntime& rank, const config::InitialWeights& from,
                  const std::map<std::string, torch::Tensor>& model, std::set<std::string>& missing) {
    const auto weights = readWeights(from.path);
    if (!weights)
        return fail(weights.error().code, weights.error().asMessage(), from.key);
    std::vector<std::string> unknown;
    std::size_t taken = 0;
    const torch::NoGradGuard noGradients;
    for (const auto& [name, tensor] : weights->tensors) {
        if (!from.takes(name))
            continue;
        const auto target = model.find(name);
        if (target == model.end()) {
            unknown.push_back(name);
            continue;
        }
        if (target->second.sizes() != tensor.sizes())
            return fail(Errc::BadInput,
                        {"tensor {} is [{}], the model's is [{}]", name, c10::Join(", ", tensor.sizes()),
                         c10::Join(", ", target->second.sizes())},
                        fmt::format("{}: {}", from.key, from.path));
        target->second.copy_(tensor);
        missing.erase(name);
        ++taken;
    }
    if (taken == 0)
        return fail(Errc::BadInput, "has no tensor of the model", fmt::format("{}: {}", from.key, from.path));
    if (rank.me.rank == 0) {
        rank.log.info(fmt::format("begins with {} tensors of {}", taken, from.path));
        if (!unknown.empty())
            rank.log.warning(fmt::format("{}: {} tensors are not the model's and were left out: {}", from.path,
                                         unknown.size(), some(unknown)));
    }
    return {};
}

} // namespace

std::int64_t trainedNs(const TrainProgress& progress) {
    const std::string text = extraOf(progress, kTrainedNs);
    std::int64_t ns = 0;
    std::from_chars(text.data(), text.data() + text.size(), ns);
    return std::max<std::int64_t>(ns, 0);
}

std::string partKey(const std::string& name) {
    return kPart + name;
}

std::map<std::string, std::string> checkpointFacts(const RankRuntime& rank) {
    return {{kRecipe, rank.configText},
            {kUtterances, std::to_string(rank.loader->utterances())},
            {kBatches, std::to_string(rank.plan.batchesPerEpoch)},
            {kTarReading, tarReading(rank.recipe.train)}};
}

Result<std::optional<ResumePoint>> resume(RankRuntime& rank, const fs::path& runDir, const fs::path& asked) {
    const auto source = sourceOf(rank, runDir, asked);
    if (!source)
        return std::optional<ResumePoint>();
    RS_TRY_ASSIGN(auto found, find(rank, *source));
    if (!found)
        return std::optional<ResumePoint>();
    TrainState& state = *found->state;
    const std::string where = found->file.string();
    RS_TRY(fits(rank, state, where));
    RS_TRY(load(rank, state, where));
    return ResumePoint{std::move(state.progress), state.rng[static_cast<std::size_t>(rank.me.rank)], found->file};
}

void warmUpBuckets(RankRuntime& rank) {
    if (!rank.parallel || rank.me.worldSize < 3)
        return;
    std::vector<std::pair<torch::Tensor, torch::Tensor>> before;
    for (const auto& item : rank.model->stateDict())
        before.emplace_back(item.second, item.second.detach().clone());
    ForwardHooks silent;
    const std::int64_t samples = std::int64_t{2} * rank.recipe.train.sampleRate;
    const auto audio = torch::randn({2, samples}).to(rank.device);
    const auto lengths = torch::full({2}, samples, torch::kInt64).to(rank.device);
    rank.parallel->beforeForward(true);
    const auto loss = rank.model->loss(rank.model->forward({audio, lengths, audio, lengths}, true, silent));
    rank.parallel->beforeBackward(loss, true).backward();
    rank.parallel->afterBackward();
    releaseGradients(rank.parameters);
    const torch::NoGradGuard noGradients;
    for (auto& [live, saved] : before)
        live.copy_(saved);
}

Result<void> compareResumed(RankRuntime& rank, const std::optional<ResumePoint>& resumed) {
    if (!rank.group)
        return {};
    const auto all = gatherNumbers(*rank.group, resumed ? resumed->progress.step : -1, "check:resume");
    const bool same = std::adjacent_find(all.begin(), all.end(), std::not_equal_to<>()) == all.end();
    if (same && !resumed)
        return {};
    const CheckResult result =
        same ? CheckResult::passed("resume", fmt::format("all ranks continue after {} steps", resumed->progress.step))
             : CheckResult::failed("resume", true,
                                   fmt::format("the ranks would continue after different steps ({}; -1: from the "
                                               "beginning): give all the same checkpoint",
                                               fmt::join(all, ", ")));
    if (rank.me.rank == 0 || !same)
        note(rank, {result});
    if (same)
        return {};
    return fail(Errc::BadInput, result.text, "resume");
}

void gatherRankStates(RankRuntime& rank, TrainState& state) {
    const RngState mine = captureRng(rank.device);
    const StateDict buffers = ownBuffers(rank) ? buffersOf(rank) : StateDict();
    if (!rank.group) {
        state.rng = {mine};
        return;
    }
    std::vector<torch::Tensor> parts{bytesOf(mine.cpu)};
    if (mine.device.defined())
        parts.push_back(bytesOf(mine.device));
    for (const auto& item : buffers)
        parts.push_back(bytesOf(item.second));
    CollectiveTag tag("checkpoint", CollectiveTag::Exposure::Kept);
    const torch::Tensor all = rank.group->allGather(torch::cat(parts).to(rank.device), tag).cpu(); // [ranks, bytes]
    for (std::int64_t r = 0; r < all.size(0); ++r) {
        std::int64_t at = 0;
        RngState rng{take(all[r], at, mine.cpu), {}};
        if (mine.device.defined())
            rng.device = take(all[r], at, mine.device);
        state.rng.push_back(std::move(rng));
        StateDict own;
        for (const auto& [name, tensor] : buffers)
            own.emplace_back(name, take(all[r], at, tensor));
        if (!buffers.empty())
            state.buffers.push_back(std::move(own));
    }
}

Result<void> restoreBuffers(RankRuntime& rank, const TrainState& state) {
    const StateDict mine = ownBuffers(rank) ? buffersOf(rank) : StateDict();
    const auto index = static_cast<std::size_t>(rank.me.rank);
    if (mine.empty())
        return {};
    if (index >= state.buffers.size() || state.buffers[index].size() != mine.size())
        return fail(Errc::BadInput, {"has no running statistics for rank {}", rank.me.rank}, "checkpoint");
    const torch::NoGradGuard noGradients;
    for (std::size_t i = 0; i < mine.size(); ++i) {
        const auto& [name, saved] = state.buffers[index][i];
        if (name != mine[i].first || saved.sizes() != mine[i].second.sizes())
            return fail(Errc::BadInput, {"has buffer {} where the model has {}", name, mine[i].first}, "checkpoint");
        mine[i].second.copy_(saved);
    }
    return {};
}

Result<void> loadInitialWeights(RankRuntime& rank) {
    if (rank.keeping.initialWeights.empty())
        return {};
    const StateDict state = rank.model->stateDict();
    const std::map<std::string, torch::Tensor> model(state.begin(), state.end());
    std::set<std::string> missing;
    for (const auto& item : model)
        missing.insert(item.first);
    for (const auto& from : rank.keeping.initialWeights)
        RS_TRY(take(rank, from, model, missing));
    if (!missing.empty() && rank.me.rank == 0)
        rank.log.warning(fmt::format("{} tensors of the model are in none of the files with initial weights: {}",
                                     missing.size(), some(missing)));
    return {};
}

} // namespace rankscope::trainer
