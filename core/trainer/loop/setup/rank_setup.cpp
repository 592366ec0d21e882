// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/loop/setup/rank_setup.h"

#include "core/base/text/unit_format.h"
#include "core/base/values/clock.h"
#include "core/base/values/result.h"
#include "core/config/recipe/validation_sets.h"
#include "core/plan/data/epoch_order.h"
#include "core/telemetry/board/leave_request.h"
#include "core/trainer/argument_error.h"
#include "core/trainer/distributed/nccl/nccl_plugin.h"
#include "core/trainer/distributed/parallel/model_collectives.h"
#include "core/trainer/loop/setup/start_checks.h"
#include "core/trainer/ssl/nest_model.h"

#include <ATen/Parallel.h>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <set>
#include <thread>

namespace rankscope::trainer {
namespace {

constexpr std::int64_t kMostTimeoutNotes = 20;

Result<void> unsupported(const char* key, const std::string& value, Message supported) {
    return fail(Errc::Unsupported, {"{} is not supported by this trainer yet: set {}", value, std::move(supported)},
                key);
}

std::chrono::milliseconds milliseconds(double seconds) {
    return std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000));
}

/// The loader's workers may briefly outlive the run, so the hooks own what they write to.
LoaderHooks loaderHooks(const RankRuntime& rank, bool faults) {
    struct OpenUtterance {
        std::string path;
        std::shared_ptr<observer::RankTelemetry> telemetry;
    };
    LoaderHooks hooks;
    // (the loader calls reading, queue and skipped one at a time)
    hooks.reading = [state =
                         std::make_shared<OpenUtterance>(OpenUtterance{{}, rank.telemetry})](const std::string& path) {
        if (path != state->path) {
            state->path = path;
            state->telemetry->board().reading(path, monotonicNs());
        }
    };
    hooks.warning = [log = rank.log](const std::string& message) { log.warning(message); };
    hooks.queue = [telemetry = rank.telemetry](int depth, int capacity) { telemetry->board().queue(depth, capacity); };
    hooks.skipped = [log = rank.log](const std::string& message) { log.warning("skipped " + message); };
    hooks.shorter = [log = rank.log](const std::string& message) { log.warning(message + "; it is used as it is"); };
    if (faults && rank.faults->any()) {
        hooks.beforeBatch = [plan = rank.faults](std::int64_t index) { plan->beforeBatch(index); };
        hooks.beforeFile = [plan = rank.faults](std::int64_t index) { plan->beforeFile(index); };
        hooks.afterBatch = [plan = rank.faults](std::int64_t index, Batch& batch) { plan->afterBatch(index, batch); };
    }
    return hooks;
}

/// Pinned memory needs CUDA: without a GPU pin_memory does nothing, as in torch.
config::DatasetConfig dataset(const RankRuntime& rank, const config::DatasetConfig& config) {
    config::DatasetConfig here = config;
    here.pinMemory = config.pinMemory && rank.device.is_cuda();
    return here;
}

void useThreads(const config::Recipe& recipe, int localRanks) {
    const int cores = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
    const int asked = recipe.rankscope.threadsPerRank;
    if (asked > 0 || !std::getenv("OMP_NUM_THREADS")) // LibTorch has already read it
        at::set_num_threads(asked > 0 ? asked : std::max(1, cores / localRanks));
    try {
        at::set_num_interop_threads(1);
    } catch (const c10::Error&) { // already set by an earlier run in this process
    }
}

/// Returns the loader of this rank's share of the set.
Result<std::unique_ptr<BatchLoader>> loaderOf(const RankRuntime& rank, const config::DatasetConfig& data,
                                              std::uint64_t seed, bool faults) {
    const bool sharded = rank.recipe.trainer.useDistributedSampler;
    return BatchLoader::create(dataset(rank, data), sharded ? rank.me.rank : 0, sharded ? rank.me.worldSize : 1, seed,
                               loaderHooks(rank, faults));
}

/// Builds none if the recipe asks for no validation.
Result<void> buildValidation(RankRuntime& rank, std::uint64_t seed) {
    const auto& recipe = rank.recipe;
    std::vector<ValidationLoader> loaders;
    std::vector<std::int64_t> batches;
    for (const auto& set : config::validationSets(recipe)) {
        RS_TRY_ASSIGN(auto loader, loaderOf(rank, set.data, seed, false));
        batches.push_back(loader->batchesPerEpoch());
        loaders.push_back({set.lossName, set.monitored, std::move(loader)});
    }
    RS_TRY_ASSIGN(rank.validation, plan::planValidation(recipe.trainer, rank.plan.batchesPerEpoch, batches));
    if (rank.validation.batches() > 0)
        rank.validationLoaders = std::move(loaders);
    return {};
}

/// Notes in the journal when a fault began to act, by the rank's own clock.
Faults::Tell notesOf(const RankRuntime& rank) {
    return [telemetry = rank.telemetry](std::int64_t step, const std::string& text) {
        telemetry->journal().note(telemetry::NoteSeverity::Warning, text, step);
    };
}

Result<void> buildData(RankRuntime& rank) {
    const auto& recipe = rank.recipe;
    rank.faults = std::make_shared<Faults>(
        recipe.rankscope.faults, rank.me.rank, recipe.train.sampleRate,
        [] { return telemetry::leaveRequestedAtNs() != 0; }, notesOf(rank));
    const std::uint64_t seed = plan::orderSeed(recipe.trainer, rank.me.rank);
    RS_TRY_ASSIGN(rank.loader, loaderOf(rank, plan::trainingData(recipe, rank.me.worldSize), seed, true));
    const std::int64_t inSet = rank.loader->batchesPerEpoch();
    RS_TRY_ASSIGN(const auto counted, plan::trainingBatches(recipe.trainer, rank.loader->countedBatches(false)));
    rank.plan = {std::min(counted, inSet), recipe.trainer.accumulateGradBatches, recipe.trainer.maxSteps,
                 recipe.trainer.maxEpochs, inSet};
    rank.faults->setPlan(rank.plan);
    return buildValidation(rank, seed);
}

/// Returns the steps for which a schedule that ends with trainer.max_epochs is laid out: NeMo counts the batches of tar
/// files by the manifest, whether or not the files give as many.
std::int64_t scheduledSteps(const RankRuntime& rank) {
    const auto& recipe = rank.recipe;
    StepSchedule counted = rank.plan;
    counted.maxSteps = -1;
    counted.batchesPerEpoch = std::min(rank.loader->countedBatches(recipe.train.dropLast),
                                       recipe.trainer.limitTrain.of(rank.loader->countedBatches(false)));
    return counted.totalSteps();
}

/// Keeps the gradient scaler's state in checkpoints, so that a resumed run continues with its scale.
void keepScaler(RankRuntime& rank) {
    GradScaler* scaler = rank.precision.scaler();
    if (!scaler)
        return;
    const auto load = [scaler](const std::string& state) -> Result<void> {
        try {
            scaler->setState(state);
            return {};
        } catch (const ArgumentError& error) {
            return fail(Errc::Malformed, error.error().what, error.error().where);
        }
    };
    rank.stateParts.push_back({"grad_scaler", [scaler] { return scaler->state(); }, load});
}

ReplicaState replicaState(const NestModel& model) {
    ReplicaState state;
    state.parameters = model->trainable();
    std::set<std::string> trainable, buffers;
    for (const auto& [name, tensor] : state.parameters)
        trainable.insert(name);
    for (const auto& item : model->named_buffers())
        buffers.insert(item.key());
    // Only what the state dict holds: the position table is a buffer too, but it follows from its length, which may
    // differ between ranks; broadcasting it would then break.
    for (const auto& [name, tensor] : model->stateDict())
        if (!trainable.contains(name))
            (buffers.contains(name) ? state.buffers : state.frozen).emplace_back(name, tensor);
    return state;
}

/// Logs only the first length sync timeouts, so that the log of a run with many of them stays readable.
LengthSync::TimeoutHandler tellTimeouts(const RankRuntime& rank) {
    return [log = rank.log, telemetry = rank.telemetry](const LengthTimeout& timeout) {
        if (timeout.timeouts > kMostTimeoutNotes)
            return;
        log.warning(fmt::format(
            "step {}: length sync timed out after {:.2f} s: this rank continues with its own longest "
            "input, {} frames; timeouts so far: {}",
            telemetry->step(), static_cast<double>(timeout.waitedNs) / 1e9, timeout.localMax, timeout.timeouts));
    };
}

Result<void> makeLengthSync(RankRuntime& rank) {
    const auto& config = rank.recipe.rankscope.lengthSync;
    LengthSync::Options options;
    options.barrier = config.barrier;
    if (config.timeoutSeconds && rank.recipe.model.encoder.syncMaxAudioLength)
        options.timeout = milliseconds(std::max(*config.timeoutSeconds, 0.001));
    RS_TRY_ASSIGN(rank.lengthSync, LengthSync::create(rank.group, options, tellTimeouts(rank)));
    return {};
}

/// Returns this rank's seed: derived from the number that the launcher passes, so that the run can be repeated; without
/// one, random.
std::uint64_t ownSeed(int rank) {
    const char* told = std::getenv("RANKSCOPE_DRAWN_SEED");
    const std::string_view digits = told ? told : "";
    std::uint64_t drawn = 0;
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), drawn);
    if (digits.empty() || read.ec != std::errc() || read.ptr != digits.data() + digits.size())
        return std::random_device{}();
    return hash64(std::to_string(rank), drawn);
}

} // namespace

Result<void> checkTrainer(const config::Recipe& recipe) {
    const auto& trainer = recipe.trainer;
    static const std::set<std::string> strategies{"auto", "ddp", "ddp_find_unused_parameters_true",
                                                  "ddp_find_unused_parameters_false"};
    if (!strategies.contains(trainer.strategy))
        return unsupported("trainer.strategy", trainer.strategy, "\"ddp\" or \"auto\"");
    if (!commHookNamed(trainer.commHook)) {
        return unsupported("trainer.strategy.ddp_comm_hook", trainer.commHook,
                           "allreduce_hook, fp16_compress_hook, bf16_compress_hook or noop_hook");
    }
    if (trainer.gradientClipAlgorithm != "norm" && trainer.gradientClipAlgorithm != "value")
        return unsupported("trainer.gradient_clip_algorithm", trainer.gradientClipAlgorithm, "\"norm\" or \"value\"");
    if (trainer.accumulateGradBatches < 1)
        return fail(Errc::BadInput, "must be at least 1", "trainer.accumulate_grad_batches");
    if (!trainer.processGroupBackend.empty() && trainer.processGroupBackend != "gloo" &&
        trainer.processGroupBackend != "nccl")
        return unsupported("trainer.strategy.process_group_backend", trainer.processGroupBackend, "gloo or nccl");
    for (const auto& fault : recipe.rankscope.faults) {
        if (fault.kind == "dead" && !fault.signal.empty() && signalByName(fault.signal) == 0) {
            return fail(Errc::BadInput, {"\"{}\" is not a signal of this system", fault.signal}, "rankscope.faults");
        }
    }
    return {};
}

Result<at::Device> chooseDevice(const config::TrainerConfig& trainer, int localRank) {
    const bool asked = trainer.accelerator == "gpu" || trainer.accelerator == "cuda";
    std::error_code ignored;
    if (!asked && (trainer.accelerator != "auto" || !std::filesystem::exists("/dev/nvidiactl", ignored)))
        return at::Device(at::kCPU);
    const auto count = cudaDeviceCount();
    if (count && *count > localRank)
        return at::Device(at::kCUDA, static_cast<c10::DeviceIndex>(localRank));
    if (!asked)
        return at::Device(at::kCPU);
    if (!count)
        return tl::unexpected(count.error());
    return fail(Errc::Unsupported,
                {"local rank {} needs GPU {}, but this process sees {}", localRank, localRank, *count},
                "trainer.devices");
}

Result<void> buildAlone(RankRuntime& rank) {
    const auto& recipe = rank.recipe;
    useThreads(recipe, rank.me.localWorldSize);
    RS_TRY(buildData(rank));
    try {
        rank.precision = Precision(recipe.trainer.precision, rank.device);
        keepScaler(rank);
        // the same on all ranks, as with seed_everything; without a seed each rank has its own
        torch::manual_seed(recipe.trainer.seed ? static_cast<std::uint64_t>(*recipe.trainer.seed)
                                               : ownSeed(rank.me.rank));
        rank.model = NestModel(recipe.model);
        rank.model->to(rank.device);
        rank.model->train();
        rank.model->setDecodeMaskedOnly(true); // same loss and gradients, less work
        for (const auto& [name, parameter] : rank.model->trainable())
            rank.parameters.push_back(parameter);
        rank.optimizer = makeOptimizer(recipe.model.optim, rank.parameters);
        rank.schedule.emplace(recipe.model.optim, RunLength{rank.plan.maxSteps, scheduledSteps(rank)});
    } catch (const ArgumentError& error) {
        return tl::unexpected(error.error());
    }
    for (const std::string& sentence : withoutEffect(recipe.model))
        rank.log.info(sentence);
    return {};
}

Result<void> joinOthers(RankRuntime& rank) {
    const auto& recipe = rank.recipe;
    const std::string& backend = recipe.trainer.processGroupBackend;
    if (rank.me.alone() && backend.empty()) {
        checkAlone(rank);
        return {};
    }
    if (backend == "nccl" && rank.device.is_cpu()) {
        return fail(Errc::BadInput,
                    "nccl works only between GPUs, but this rank runs on the CPU: remove it, or set "
                    "gloo",
                    "trainer.strategy.process_group_backend");
    }
    GroupOptions options;
    options.gloo = backend == "gloo";
    options.joinTimeout = milliseconds(recipe.rankscope.joinSeconds);
    options.collectiveTimeout = milliseconds(recipe.rankscope.collectiveTimeoutSeconds);
    options.device = rank.device;
    options.met = [&](c10d::Store& store) { return checkSettings(rank, store, options.joinTimeout); };
    RS_TRY_ASSIGN(rank.group, ObservedGroup::join(rank.me, options, rank.telemetry));
    RS_TRY(checkShares(rank));
    RS_TRY(makeLengthSync(rank));
    if (rank.faults->any()) {
        rank.group->onEntered([faults = rank.faults, telemetry = rank.telemetry](std::string_view tag) {
            faults->insideCollective(tag, telemetry->step());
        });
    }
    if (recipe.trainer.syncBatchnorm)
        rank.model->setStatsExchange(std::make_shared<ObservedStatsExchange>(rank.group));
    DataParallelOptions ddp;
    ddp.findUnusedParameters =
        recipe.trainer.findUnusedParameters || recipe.trainer.strategy == "ddp_find_unused_parameters_true";
    // DistributedDataParallel takes rank 0's buffers before each forward because running statistics drift apart. With
    // SyncBatchNorm they are equal by construction, so skipping this saves one collective per step and changes nothing.
    const bool buffersDrift = recipe.model.encoder.convNormType == "batch_norm" && !recipe.trainer.syncBatchnorm;
    ddp.broadcastBuffers = recipe.trainer.broadcastBuffers && buffersDrift;
    ddp.bucketCapMb = recipe.trainer.bucketCapMb;
    ddp.staticGraph = recipe.trainer.staticGraph;
    // checkTrainer has already rejected other names
    ddp.commHook = commHookNamed(recipe.trainer.commHook).value_or(CommHook::AllReduce);
    try {
        rank.parallel = std::make_unique<DataParallel>(rank.group, replicaState(rank.model), ddp);
    } catch (const ArgumentError& error) {
        return tl::unexpected(error.error());
    }
    return checkInitialWeights(rank);
}

} // namespace rankscope::trainer
