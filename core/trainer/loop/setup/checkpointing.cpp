// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/loop/setup/checkpointing.h"

#include "core/base/files/atomic_file.h"
#include "core/base/values/clock.h"
#include "core/base/values/result.h"
#include "core/config/recipe/checkpoint_name.h"
#include "core/telemetry/format/note_markers.h"
#include "core/trainer/checkpoint/weights.h"
#include "core/trainer/formats/archives/nemo_steps.h"
#include "core/trainer/loop/setup/resume.h"
#include "core/trainer/optim/optimizers.h"
#include "core/trainer/tensor_files/nemo_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace rankscope::trainer {
namespace {

namespace fs = std::filesystem;
using telemetry::Phase;

/// Returns the function that names checkpoint files as the recipe says; none: the folder's default names.
Result<std::function<std::string(const TrainProgress&)>> namesOf(const RankRuntime& rank) {
    const auto& config = rank.keeping.checkpoint;
    if (config.fileName.empty())
        return std::function<std::string(const TrainProgress&)>();
    auto name = config::CheckpointName::parse(config.fileName, config.namedMetrics);
    if (!name)
        return fail(Errc::BadInput, name.error(), "exp_manager.checkpoint_callback_params.filename");
    return [name = std::move(*name), perEpoch = rank.plan.stepsPerEpoch()](const TrainProgress& progress) {
        std::map<std::string, double> values = progress.metrics;
        const std::int64_t epoch = (progress.step - 1) / perEpoch; // in which the step ended
        values["step"] = static_cast<double>(progress.step);
        values["epoch"] = static_cast<double>(epoch);
        return name.format(values);
    };
}

Result<CheckpointFolder> openFolder(const RankRuntime& rank, const fs::path& path) {
    const auto& config = rank.keeping.checkpoint;
    RS_TRY_ASSIGN(auto name, namesOf(rank));
    CheckpointOptions options;
    options.folder = path;
    options.keepTop = config.saveTopK;
    options.monitor = config.monitor;
    options.mode = config.larger ? CheckpointOptions::MonitorMode::Max : CheckpointOptions::MonitorMode::Min;
    options.saveLast = config.saveLast;
    options.name = std::move(name);
    auto folder = CheckpointFolder::open(options);
    if (folder)
        for (const Error& problem : folder->problems())
            rank.log.warning(fmt::format("cannot be read and is left alone: {}", problem.message()));
    return folder;
}

/// Writes to the log, and a note to the store.
void tell(RankRuntime& rank, const std::string& text) {
    rank.log.info(text);
    rank.telemetry->journal().note(telemetry::NoteSeverity::Info, text, rank.telemetry->step());
}

void copyToHost(StateDict& tensors) {
    for (auto& item : tensors)
        item.second = item.second.detach().to(torch::kCPU, /*non_blocking=*/false, /*copy=*/true);
}

} // namespace

CheckpointDue CheckpointDue::after(const CheckpointContext& step, const config::CheckpointConfig& config,
                                   bool validates) {
    CheckpointDue due;
    if (config.everyNSteps > 0 && step.stepsDone % config.everyNSteps == 0)
        due = {true, true};
    // without validation NeMo would save nothing before the end; Lightning then saves at the end of an epoch
    const bool moment = config.atEpochEnd || !validates ? step.endsEpoch : step.valLoss.has_value();
    if (moment) {
        due.last = true;
        due.best |= config.everyNEpochs > 0 && (step.epoch + 1) % config.everyNEpochs == 0;
    }
    due.best &= config.saveTopK != 0;
    due.last &= config.saveLast;
    return due;
}

Result<std::unique_ptr<Checkpointing>> Checkpointing::open(RankRuntime& rank, const fs::path& runDir) {
    const bool on = rank.keeping.checkpoint.enabled && !runDir.empty();
    std::unique_ptr<Checkpointing> out(new Checkpointing(rank, on ? runDir / "checkpoints" : fs::path()));
    if (!on) {
        if (!runDir.empty() && rank.me.rank == 0)
            rank.log.warning("checkpoints are switched off (exp_manager.create_checkpoint_callback, or "
                             "trainer.enable_checkpointing): this run cannot be resumed, and its weights are not kept");
        return out;
    }
    if (rank.me.rank != 0)
        return out;
    RS_TRY_ASSIGN(auto folder, openFolder(rank, out->m_path));
    out->m_folder.emplace(std::move(folder));
    RS_TRY_ASSIGN(out->m_nemoConfig, nemoModelConfig(rank.configText, "the run's configuration"));
    return out;
}

Checkpointing::~Checkpointing() {
    waitForWriter();
}

void Checkpointing::waitForWriter() {
    if (m_writer.joinable())
        m_writer.join();
}

void Checkpointing::resumed(const TrainProgress& progress) {
    m_step.stepsDone = m_savedAt = progress.step;
    if (const auto found = progress.metrics.find("train_loss"); found != progress.metrics.end())
        m_step.loss = found->second;
    if (const auto found = progress.metrics.find("val_loss"); found != progress.metrics.end())
        m_valLoss = found->second;
    for (const auto& [name, value] : progress.metrics)
        if (name != "train_loss" && name != "val_loss")
            m_setLosses[name] = value;
}

void Checkpointing::afterStep(const CheckpointContext& step) {
    m_step = step;
    if (step.valLoss)
        m_valLoss = step.valLoss;
    for (const auto& [name, loss] : step.setLosses)
        m_setLosses[name] = loss;
    if (m_path.empty() || m_savedAt == step.stepsDone)
        return;
    const auto due = CheckpointDue::after(step, m_rank.keeping.checkpoint, m_rank.validation.batches() > 0);
    if (due.best || due.last)
        save(due);
}

void Checkpointing::save(CheckpointDue due) {
    m_rank.telemetry->phase(Phase::Checkpoint);
    m_savedAt = m_step.stepsDone;
    TrainState state = capture();
    if (m_folder) {
        const std::string& monitor = m_rank.keeping.checkpoint.monitor;
        if (due.best && !monitor.empty() && !state.progress.metrics.contains(monitor)) {
            due.best = false; // no value to compare it by yet
            if (!std::exchange(m_unmeasuredTold, true))
                m_rank.log.info(fmt::format("{} is not measured yet: until it is, only {} is kept", monitor,
                                            CheckpointFolder::kLast));
        }
        SaveJob job{std::move(state), due.best};
        waitForWriter();
        if (due.best || due.last) {
            if (m_rank.keeping.checkpoint.asyncSave) {
                copyToHost(job.state.model);
                copyToHost(job.state.optimizer);
                m_writer = std::thread([this, job = std::move(job)] { write(job); });
            } else {
                write(job);
            }
        }
    }
    m_rank.telemetry->phase(Phase::None);
}

TrainProgress Checkpointing::progress() const {
    const auto& plan = m_rank.plan;
    TrainProgress p;
    p.step = m_step.stepsDone;
    p.epoch = p.step / plan.stepsPerEpoch();
    p.batchInEpoch = p.step % plan.stepsPerEpoch() * plan.accumulate;
    p.seed = m_rank.recipe.trainer.seed.value_or(0);
    p.configHash = m_rank.recipe.configHash;
    p.metrics["train_loss"] = m_step.loss;
    if (m_valLoss)
        p.metrics["val_loss"] = *m_valLoss;
    p.metrics.insert(m_setLosses.begin(), m_setLosses.end());
    p.extras = checkpointFacts(m_rank);
    p.extras[kTrainedNs] = std::to_string(m_step.trainedNs);
    p.extras[kWeightsKey] = kFiniteWeights; // weights that are not finite are never written
    for (const StatePart& part : m_rank.stateParts)
        p.extras[partKey(part.name)] = part.save();
    return p;
}

/// Returns the state with the live tensors: write it before the next step, or copy it.
TrainState Checkpointing::capture() {
    TrainState state;
    gatherRankStates(m_rank, state);
    if (m_rank.me.rank != 0)
        return state;
    state.progress = progress();
    state.model = m_rank.model->stateDict();
    state.optimizer = optimizerState(*m_rank.optimizer);
    return state;
}

Result<fs::path> Checkpointing::put(const SaveJob& job) {
    try {
        return job.best ? m_folder->save(job.state) : m_folder->saveLast(job.state);
    } catch (const c10::Error& e) {
        return fail(Errc::Internal, std::string(e.what_without_backtrace()), m_path.string());
    }
}

/// Returns whether the weights are finite; if not, reports that `what` is not written, to keep the existing file.
bool Checkpointing::hasFiniteWeights(const StateDict& weights, const std::string& what) const {
    const auto bad = firstNotFinite(weights);
    if (bad)
        m_rank.log.error(fmt::format("{}: the weights are not finite (the first such tensor is {}); the files written "
                                     "before are kept",
                                     what, *bad));
    return !bad;
}

void Checkpointing::write(const SaveJob& job) {
    const auto& config = m_rank.keeping.checkpoint;
    m_failure.reset();
    if (!hasFiniteWeights(job.state.model,
                          fmt::format("{}{} steps", telemetry::kNoCheckpoint, job.state.progress.step)))
        return;
    const std::int64_t began = monotonicNs();
    m_rank.faults->inCheckpoint(job.state.progress.step);
    auto file = put(job);
    if (file && !file->empty() && config.alwaysSaveNemo && (!config.saveBestModel || isBest(*file)))
        if (auto nemo = writeNemoOf(job.state.model, job.state.progress.step); !nemo)
            file = tl::unexpected(nemo.error());
    m_failure = file ? std::nullopt : std::optional(file.error());
    const std::int64_t steps = job.state.progress.step;
    if (!file)
        m_rank.log.error(fmt::format("{}{} steps: {}", telemetry::kNoCheckpoint, steps, m_failure->message()));
    else if (!file->empty()) // empty: it is not among the best, and saveLast is off
        tell(m_rank, fmt::format("checkpoint after {} steps: {} in {:.2f} s", steps, file->filename().string(),
                                 static_cast<double>(monotonicNs() - began) / 1e9));
}

bool Checkpointing::isBest(const fs::path& file) const {
    return !m_folder->entries().empty() && m_folder->entries().front().file == file;
}

/// Writes the .nemo. `steps`: after how many steps these weights were taken, which the file says as well.
Result<void> Checkpointing::writeNemoOf(const StateDict& weights, std::int64_t steps) {
    const std::string& name = m_rank.keeping.checkpoint.nemoName;
    if (!hasFiniteWeights(weights, name + " is not written"))
        return {};
    try {
        RS_TRY_ASSIGN(auto file, AtomicFile::createInRun(m_path / name, GuardedFolder::Checkpoints));
        return writeNemo(std::move(file), {nemoStepsLine(steps) + m_nemoConfig, weights});
    } catch (const c10::Error& e) {
        return fail(Errc::Internal, std::string(e.what_without_backtrace()), name);
    }
}

Result<void> Checkpointing::lastNemo() {
    const auto& config = m_rank.keeping.checkpoint;
    if (!config.saveBestModel || m_folder->entries().empty()) {
        if (config.saveBestModel)
            m_rank.log.warning(
                fmt::format("{} holds the newest weights: no best checkpoint was kept", config.nemoName));
        return writeNemoOf(m_rank.model->stateDict(), m_step.stepsDone);
    }
    RS_TRY_ASSIGN(const auto best, readTrainState(m_folder->entries().front().file));
    return writeNemoOf(best.model, best.progress.step);
}

Result<void> Checkpointing::finish(bool stopped) {
    const auto& config = m_rank.keeping.checkpoint;
    if (m_path.empty() || m_step.stepsDone == 0)
        return {};
    waitForWriter();
    const bool wanted = stopped ? config.saveOnStop : config.saveLast;
    if (wanted && m_savedAt != m_step.stepsDone)
        save({false, true});
    waitForWriter();
    if (!m_folder)
        return {};
    if (m_failure)
        return tl::unexpected(*m_failure);
    if (!config.nemoAtEnd)
        return {};
    m_rank.telemetry->phase(Phase::Checkpoint);
    auto written = lastNemo();
    m_rank.telemetry->phase(Phase::None);
    return written;
}

} // namespace rankscope::trainer
