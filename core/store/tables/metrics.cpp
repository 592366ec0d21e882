// SPDX-License-Identifier: Apache-2.0
#include "core/store/tables/metrics.h"

#include <array>

namespace rankscope::store {

static constexpr double kSeconds = 1e-9;

// in the order of enum Metric
static constexpr std::array<MetricInfo, static_cast<std::size_t>(Metric::Count)> kMetrics{{
    {Metric::Loss, "loss", "Loss", "", 1},
    {Metric::LearningRate, "learning_rate", "Learning rate", "", 1},
    {Metric::GradientNorm, "gradient_norm", "Gradient norm", "", 1},
    {Metric::MaskedFrames, "masked_frames", "Masked frames", "frames", 1},
    {Metric::SamplesPerSecond, "samples_per_second", "Throughput", "samples/s", 1},
    {Metric::BatchSize, "batch_size", "Batch size", "utterances", 1},
    {Metric::FramesMin, "frames_min", "Shortest length", "frames", 1},
    {Metric::FramesMean, "frames_mean", "Mean length", "frames", 1},
    {Metric::FramesMax, "frames_max", "Longest length", "frames", 1},
    {Metric::SamplesMax, "samples_max", "Longest audio", "samples", 1},
    {Metric::PaddingShare, "padding_share", "Padding", "%", 100},
    {Metric::StepTime, "step_ns", "Step time", "s", kSeconds},
    {Metric::WaitTotal, "wait_ns", "Collective wait", "s", kSeconds},
    {Metric::WaitLengthSync, "wait_length_sync_ns", "Wait in length sync", "s", kSeconds},
    {Metric::WaitGradient, "wait_gradient_ns", "Wait in gradients", "s", kSeconds},
    {Metric::WaitSyncBatchNorm, "wait_sync_batchnorm_ns", "Wait in SyncBatchNorm", "s", kSeconds},
    {Metric::WaitBarrier, "wait_barrier_ns", "Wait in barriers", "s", kSeconds},
    {Metric::WaitMetrics, "wait_metrics_ns", "Wait in metrics", "s", kSeconds},
    {Metric::WaitOther, "wait_other_ns", "Wait in other collectives", "s", kSeconds},
    {Metric::ExposedWait, "exposed_wait_ns", "Exposed wait", "s", kSeconds},
    {Metric::DataWait, "data_wait_ns", "Data wait", "s", kSeconds},
    {Metric::ToDevice, "to_device_ns", "Copy to device", "s", kSeconds},
    {Metric::Preprocess, "preprocess_ns", "Preprocessing", "s", kSeconds},
    {Metric::Augment, "augment_ns", "Augmentation", "s", kSeconds},
    {Metric::Forward, "forward_ns", "Forward", "s", kSeconds},
    {Metric::LossTime, "loss_ns", "Loss computation", "s", kSeconds},
    {Metric::Backward, "backward_ns", "Backward", "s", kSeconds},
    {Metric::Optimizer, "optimizer_ns", "Optimizer", "s", kSeconds},
    {Metric::Validate, "validate_ns", "Validation", "s", kSeconds},
    {Metric::Checkpoint, "checkpoint_ns", "Checkpoint", "s", kSeconds},
    {Metric::Barrier, "barrier_ns", "Barrier", "s", kSeconds},
}};

static constexpr bool inOrder() {
    for (std::size_t i = 0; i < kMetrics.size(); ++i)
        if (static_cast<std::size_t>(kMetrics[i].metric) != i)
            return false;
    return true;
}
static_assert(inOrder());

std::span<const MetricInfo> metrics() {
    return kMetrics;
}

const MetricInfo& info(Metric metric) {
    return kMetrics[static_cast<std::size_t>(metric)];
}

// The phases of a step and their metrics must have the same order.
static_assert(static_cast<int>(Metric::Barrier) - static_cast<int>(Metric::DataWait) ==
              static_cast<int>(telemetry::Phase::Barrier) - static_cast<int>(telemetry::Phase::DataWait));

std::optional<Metric> phaseMetric(telemetry::Phase phase) {
    const int behind = static_cast<int>(phase) - static_cast<int>(telemetry::Phase::DataWait);
    const bool timed = behind >= 0 && phase <= telemetry::Phase::Barrier;
    return timed ? std::optional(static_cast<Metric>(static_cast<int>(Metric::DataWait) + behind)) : std::nullopt;
}

} // namespace rankscope::store
