// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/loop/training_loop.h"

#include "core/base/values/clock.h"
#include "core/telemetry/format/note_markers.h"
#include "core/trainer/checkpoint/train_state.h"
#include "core/trainer/loop/validation.h"
#include "core/trainer/optim/optimizers.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <utility>

namespace rankscope::trainer {

using telemetry::Phase;
using telemetry::StepRecord;

namespace {

constexpr std::int32_t kLossNotFinite = 1, kGradientNotFinite = 2, kStepSkipped = 4, kBatchNotFinite = 8; // flags
constexpr int kMostNotFiniteNotes = 20; // a run that diverged stays that way; the records show every step

std::int64_t hopOf(const config::PreprocessorConfig& config) {
    return std::max<std::int64_t>(1, config.hopLength());
}

bool isFinite(const torch::Tensor& values) {
    return torch::isfinite(values).all().item<bool>();
}

std::string batchesText(std::int64_t batches) {
    return fmt::format("{} batch{}", batches, batches == 1 ? "" : "es");
}

} // namespace

TrainingLoop::TrainingLoop(RankRuntime& rank, std::function<bool(std::int64_t)> leaves)
    : m_rank(rank), m_telemetry(*rank.telemetry), m_leaves(std::move(leaves)),
      m_hooks(rank.telemetry, rank.lengthSync, rank.faults), m_firstBatch(rank),
      m_timeLimit(TimeLimit::of(rank.recipe.trainer)), m_hop(hopOf(rank.recipe.model.preprocessor)),
      m_totalSteps(rank.plan.totalSteps()) {}

void TrainingLoop::enter(Phase phase) {
    m_telemetry.phase(phase);
    m_rank.faults->enter(phase, m_step);
}

TrainingLoop::LoopEnd TrainingLoop::run() {
    if (m_step == 0) // as in Lightning: a resumed run has already shown that validation works
        sanityCheck();
    m_timeLimit.beganNs = monotonicNs();
    auto epoch = static_cast<int>(m_step / m_rank.plan.stepsPerEpoch());
    // earlier parts of the run may have used up the time
    const bool spent = m_step > 0 && m_timeLimit.mayEnd(m_step, epoch) && timeIsOver();
    while (!spent && runEpoch(epoch))
        ++epoch;
    m_telemetry.phase(Phase::None);
    return m_end;
}

bool TrainingLoop::runEpoch(int epoch) {
    if (m_rank.plan.maxEpochs >= 0 && epoch >= m_rank.plan.maxEpochs)
        return false;
    const std::int64_t done = m_step % m_rank.plan.stepsPerEpoch(); // not 0 only if a run is resumed inside the epoch
    m_rank.loader->beginEpoch(epoch, done * m_rank.plan.accumulate);
    for (std::int64_t inEpoch = done; inEpoch < m_rank.plan.stepsPerEpoch(); ++inEpoch)
        if (!runStep(epoch, inEpoch))
            return false;
    return true;
}

/// Rank 0's clock decides for all, so that they stop after the same step; one small all-reduce per step, as in
/// Lightning.
bool TrainingLoop::timeIsOver() {
    if (!m_timeLimit.set())
        return false;
    const bool decides = !m_rank.group || m_rank.group->rank() == 0;
    bool over = decides && m_timeLimit.over(monotonicNs());
    if (m_rank.group) {
        auto flag = torch::tensor({over ? 1.0F : 0.0F}).to(m_rank.device);
        CollectiveTag tag("metrics");
        m_rank.group->allReduce(flag, c10d::ReduceOp::SUM, tag);
        over = flag.item<float>() > 0;
    }
    if (over)
        m_rank.log.info("trainer.max_time is reached: the run ends here");
    return over;
}

bool TrainingLoop::runStep(int epoch, std::int64_t stepInEpoch) {
    if (m_totalSteps > 0 && m_step >= m_totalSteps)
        return false;
    if (!m_rank.faults->hasBatch(m_step))
        return false;
    if (m_leaves(m_step)) {
        m_end = LoopEnd::Stopped;
        return false;
    }
    StepRecord record;
    record.header.step = m_step;
    record.epoch = epoch;
    record.beginNs = monotonicNs();
    m_telemetry.beginStep(m_step, epoch);

    const int batches = m_rank.plan.batchesOf(stepInEpoch);
    const StepSums sums = accumulate(epoch, stepInEpoch, batches);
    if (!sums.complete)
        throw RunError({Errc::Internal, Message("the data ended inside epoch {}", epoch), "batch loader"});
    record.learningRate = m_rank.schedule->at(m_step);
    optimize(record);
    m_telemetry.phase(Phase::None); // the step ends here; its phases are appended before its record
    record.endNs = monotonicNs();
    record.loss = sums.loss / batches;
    record.maskedFrames = sums.maskedFrames;
    record.exposedGradientNs = sums.exposedGradientNs;
    record.samplesPerSecond =
        static_cast<double>(sums.samples) * 1e9 / static_cast<double>(record.endNs - record.beginNs);
    record.flags |= sums.flags | (std::isfinite(record.loss) ? 0 : kLossNotFinite);
    m_telemetry.journal().append(record);
    report(record);
    if (!std::exchange(m_firstConcluded, true))
        m_firstBatch.conclude();
    const bool endsEpoch = stepInEpoch + 1 == m_rank.plan.stepsPerEpoch();
    const bool mayEnd = m_timeLimit.mayEnd(m_step + 1, epoch), over = mayEnd && timeIsOver();
    validateIfDue(epoch, stepInEpoch * m_rank.plan.accumulate + batches - 1, over);
    ++m_step;
    m_then({m_step, epoch, endsEpoch, sums.lastLoss, std::exchange(m_valLoss, std::nullopt),
            m_timeLimit.elapsedNs(monotonicNs()), std::exchange(m_setLosses, {})});
    // Lightning counts an epoch as done only after leaving it: a run held by min_epochs ends between two epochs
    const bool mayEndBetween = endsEpoch && !mayEnd && m_timeLimit.mayEnd(m_step, epoch + 1);
    return !over && !(mayEndBetween && timeIsOver());
}

TrainingLoop::StepSums TrainingLoop::accumulate(int epoch, std::int64_t stepInEpoch, int batches) {
    StepSums sums;
    releaseGradients(m_rank.parameters);
    const std::int64_t first = m_rank.plan.firstBatchOf(m_step);
    for (int micro = 0; micro < batches; ++micro) {
        std::int64_t waitNs = 0;
        auto batch = fetch(first + micro, waitNs);
        if (!batch) {
            sums.complete = false;
            break;
        }
        batch->epoch = epoch;
        forwardBackward(*batch, waitNs, micro + 1 == batches, sums);
        if (micro + 1 < batches) // Lightning counts batches, not steps
            validateIfDue(epoch, stepInEpoch * m_rank.plan.accumulate + micro);
    }
    return sums;
}

std::optional<Batch> TrainingLoop::fetch(std::int64_t index, std::int64_t& waitNs) {
    enter(Phase::DataWait);
    m_rank.faults->wants(index);
    const std::int64_t begin = monotonicNs();
    auto batch = m_rank.loader->next();
    waitNs = monotonicNs() - begin;
    if (!batch)
        throw RunError(batch.error());
    return std::move(*batch);
}

void TrainingLoop::forwardBackward(const Batch& batch, std::int64_t waitNs, bool sync, StepSums& sums) {
    const telemetry::BatchRecord facts = schemaOf(batch, m_hop, m_step, waitNs);
    m_telemetry.board().batch(facts.size, facts.samplesMax, facts.framesMax);
    enter(Phase::ToDevice);
    const NestInput input = toDevice(batch, m_rank.device);
    m_hooks.enter(facts);
    if (!std::exchange(m_firstSeen, true)) {
        m_hooks.watchInput([&](const torch::Tensor& mel, const std::vector<std::int64_t>& lengths) {
            m_firstBatch.see(batch, mel, lengths);
        });
    }
    if (m_rank.parallel) {
        m_telemetry.phase(Phase::Forward);
        m_rank.parallel->beforeForward(sync);
    }
    // forward itself announces preprocess, augment and forward
    std::int64_t maskedFrames = 0;
    torch::Tensor loss = [&] {
        const AutocastScope autocast = m_rank.precision.forward();
        const NestOutput output = m_rank.model->forward(input, m_rank.faults->masks(m_step), m_hooks);
        m_telemetry.board().place(telemetry::ForwardSite::None);
        enter(Phase::Loss);
        return m_rank.model->loss(output, &maskedFrames);
    }();
    if (m_rank.faults->lossIsInfinite(m_step))
        loss = loss * std::numeric_limits<float>::infinity();
    const double value = loss.item<double>();
    if (!std::isfinite(value) && !(isFinite(input.audio) && isFinite(input.noisy)))
        // marks the rank whose batch caused it: SyncBatchNorm's statistics spread NaN to all ranks
        sums.flags |= kBatchNotFinite;
    sums.loss += value;
    sums.lastLoss = value;
    sums.maskedFrames += maskedFrames;
    sums.samples += facts.samplesSum;

    enter(Phase::Backward);
    torch::Tensor share = m_rank.parallel ? m_rank.parallel->beforeBackward(loss, sync) : loss;
    if (m_rank.plan.accumulate > 1)
        share = share / m_rank.plan.accumulate;
    const GradScaler* scaler = m_rank.precision.scaler();
    (scaler ? scaler->scale(share) : share).backward();
    m_telemetry.board().place(telemetry::ForwardSite::None);
    if (m_rank.parallel)
        sums.exposedGradientNs += m_rank.parallel->afterBackward();
}

void TrainingLoop::optimize(StepRecord& record) {
    enter(Phase::Optimizer);
    const auto& trainer = m_rank.recipe.trainer;
    GradScaler* scaler = m_rank.precision.scaler();
    if (scaler)
        scaler->unscale(m_rank.parameters); // before gradients are clipped
    const double norm = record.gradientNorm = gradientNorm(m_rank.parameters);
    if (trainer.gradientClipVal > 0) {
        if (trainer.gradientClipAlgorithm == "value")
            clipByValue(m_rank.parameters, trainer.gradientClipVal);
        else
            clipByNorm(m_rank.parameters, norm, trainer.gradientClipVal);
    }
    setLearningRate(*m_rank.optimizer, record.learningRate);
    if (scaler && scaler->overflowed()) { // expected now and then: not a sign of divergence
        record.flags |= kStepSkipped;
    } else {
        record.flags |= std::isfinite(norm) ? 0 : kGradientNotFinite;
        m_rank.optimizer->step();
    }
    if (scaler)
        scaler->update();
}

/// As in Lightning, shows before the first step that validation works, and leaves the random numbers unchanged.
void TrainingLoop::sanityCheck() {
    if (m_rank.validation.sanityBatches() == 0)
        return;
    const RngState before = captureRng(m_rank.device); // even on a GPU, masks come from the CPU's generator
    const Validation validation = validate(m_rank, ValidationKind::Sanity);
    if (const auto restored = restoreRng(before, m_rank.device); !restored)
        throw RunError(restored.error());
    m_telemetry.phase(Phase::None);
    const ValidationResult& result = validation.monitored();
    m_rank.log.info(fmt::format("validation works: {}, val_loss {:.5f}", batchesText(result.batches), result.loss));
}

/// `last`: the time is over, and Lightning validates once more before it stops.
void TrainingLoop::validateIfDue(int epoch, std::int64_t batchInEpoch, bool last) {
    const ValidationPlan& plan = m_rank.validation;
    if (plan.dueAfter(epoch, batchInEpoch, m_rank.plan.batchesPerEpoch) || (last && plan.mayValidate(epoch)))
        validateNow(epoch);
}

void TrainingLoop::validateNow(int epoch) {
    const Validation validation = validate(m_rank, ValidationKind::Whole);
    const ValidationResult& monitored = validation.monitored();
    telemetry::ValidationRecord record;
    record.header.step = m_step;
    record.epoch = epoch;
    record.loss = monitored.loss;
    record.localLoss = monitored.localLoss;
    record.batches = monitored.batches;
    record.unmasked = monitored.unmasked;
    record.maskedFrames = monitored.maskedFrames;
    record.beginNs = validation.beginNs;
    record.endNs = validation.endNs;
    m_telemetry.journal().append(record);
    m_valLoss = monitored.loss;
    std::string others;
    for (const ValidationResult& set : validation.sets) {
        if (validation.sets.size() == 1)
            break;
        telemetry::ScalarRecord scalar;
        scalar.header.step = m_step;
        scalar.value = set.loss;
        telemetry::putText(scalar.name, sizeof scalar.name, set.lossName);
        m_telemetry.journal().append(scalar);
        m_setLosses[set.lossName] = set.loss;
        others += fmt::format(", {} {:.5f} over {}", set.lossName, set.loss, batchesText(set.batches));
    }
    m_rank.log.info(fmt::format(
        "step {} val_loss {:.5f} over {}{} in {:.2f} s{}", m_step, monitored.loss, batchesText(monitored.batches),
        others, static_cast<double>(validation.endNs - validation.beginNs) / 1e9,
        monitored.unmasked > 0 ? fmt::format(", {} without a masked frame", monitored.unmasked) : ""));
}

void TrainingLoop::report(const StepRecord& record) {
    if (record.flags & kStepSkipped)
        reportSkipped();
    if (record.flags & (kLossNotFinite | kGradientNotFinite))
        reportNotFinite(record);
    const std::int64_t every = m_rank.recipe.trainer.logEveryNSteps;
    const bool last = m_totalSteps > 0 && m_step + 1 == m_totalSteps;
    if (every > 0 && (m_step % every == 0 || last)) {
        const double seconds = static_cast<double>(record.endNs - record.beginNs) / 1e9;
        m_rank.log.info(fmt::format("step {}{} epoch {} loss {:.5f} lr {:.3e} grad_norm {:.4g} {:.2f} s/step", m_step,
                                    m_totalSteps > 0 ? fmt::format("/{}", m_totalSteps) : "", record.epoch, record.loss,
                                    record.learningRate, record.gradientNorm, seconds));
    }
}

void TrainingLoop::reportSkipped() {
    if (m_skippedTold++ < kMostNotFiniteNotes) {
        const GradScaler& scaler = *m_rank.precision.scaler();
        m_rank.log.warning(fmt::format("step {}: gradients overflow float16: the step is skipped, the loss scale falls "
                                       "to {:g}; skipped so far: {}",
                                       m_step, scaler.currentScale(), scaler.skippedSteps()));
    }
}

void TrainingLoop::reportNotFinite(const StepRecord& record) {
    if (m_notFiniteTold++ >= kMostNotFiniteNotes)
        return;
    if (record.maskedFrames == 0) {
        m_rank.log.warning(fmt::format("step {}: no frame of the batch is masked, so there is no loss: raise "
                                       "min_duration or model.masking.mask_prob",
                                       m_step));
        return;
    }
    const std::string first = record.flags & kBatchNotFinite
                                  ? "the batch's audio"
                                  : firstNotFiniteGradient(m_rank.model->trainable()).value_or("none, the loss alone");
    m_rank.log.warning(fmt::format("step {}: loss {}, gradient norm {}; {}{}", m_step, record.loss, record.gradientNorm,
                                   telemetry::kFirstNotFinite, first));
}

} // namespace rankscope::trainer
