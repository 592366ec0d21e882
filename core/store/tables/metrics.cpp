// SPDX-License-Identifier: Apache-2.0
#include "core/store/tables/metrics.h"

#include <array>

namespace rankscope::store {

static constexpr double kSeconds = 1e-9;

// in the order of enum Metric
static constexpr std::array<MetricInfo, static_cast<std::size_t>(Metric::Count)> kMetrics{{
    {Metric::Loss, "loss", "", 1},
    {Metric::LearningRate, "learning_rate", "", 1},
    {Metric::GradientNorm, "gradient_norm", "", 1},
    {Metric::MaskedFrames, "masked_frames", "frames", 1},
    {Metric::SamplesPerSecond, "samples_per_second", "samples/s", 1},
    {Metric::BatchSize, "batch_size", "utterances", 1},
    {Metric::FramesMin, "frames_min", "frames", 1},
    {Metric::FramesMean, "frames_mean", "frames", 1},
    {Metric::FramesMax, "frames_max", "frames", 1},
    {Metric::SamplesMax, "samples_max", "samples", 1},
    {Metric::PaddingShare, "padding_share", "%", 100},
    {Metric::StepTime, "step_ns", "s", kSeconds},
    {Metric::WaitTotal, "wait_ns", "s", kSeconds},
    {Metric::WaitLengthSync, "wait_length_sync_ns", "s", kSeconds},
    {Metric::WaitGradient, "wait_gradient_ns", "s", kSeconds},
    {Metric::WaitSyncBatchNorm, "wait_sync_batchnorm_ns", "s", kSeconds},
    {Metric::WaitBarrier, "wait_barrier_ns", "s", kSeconds},
    {Metric::WaitMetrics, "wait_metrics_ns", "s", kSeconds},
    {Metric::WaitOther, "wait_other_ns", "s", kSeconds},
    {Metric::ExposedWait, "exposed_wait_ns", "s", kSeconds},
    {Metric::DataWait, "data_wait_ns", "s", kSeconds},
    {Metric::ToDevice, "to_device_ns", "s", kSeconds},
    {Metric::Preprocess, "preprocess_ns", "s", kSeconds},
    {Metric::Augment, "augment_ns", "s", kSeconds},
    {Metric::Forward, "forward_ns", "s", kSeconds},
    {Metric::LossTime, "loss_ns", "s", kSeconds},
    {Metric::Backward, "backward_ns", "s", kSeconds},
    {Metric::Optimizer, "optimizer_ns", "s", kSeconds},
    {Metric::Validate, "validate_ns", "s", kSeconds},
    {Metric::Checkpoint, "checkpoint_ns", "s", kSeconds},
    {Metric::Barrier, "barrier_ns", "s", kSeconds},
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

Message title(Metric metric) {
    static const std::array<Message, static_cast<std::size_t>(Metric::Count)> kTitles{{
        {"Loss"},
        {"Learning rate"},
        {"Gradient norm"},
        {"Masked frames"},
        {"Throughput"},
        {"Batch size"},
        {"Shortest sequence"},
        {"Mean sequence"},
        {"Longest sequence"},
        {"Longest audio"},
        {"Padding"},
        {"Step time"},
        {"Collective wait"},
        {"Wait in length sync"},
        {"Wait in gradients"},
        {"Wait in SyncBatchNorm"},
        {"Wait in barriers"},
        {"Wait in metrics"},
        {"Wait in other collectives"},
        {"Exposed wait"},
        {"Data wait"},
        {"Copy to device"},
        {"Preprocessing"},
        {"Augmentation"},
        {"Forward"},
        {"Loss computation"},
        {"Backward"},
        {"Optimizer"},
        {"Validation"},
        {"Checkpoint"},
        {"Barrier"},
    }};
    return kTitles[static_cast<std::size_t>(metric)];
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
