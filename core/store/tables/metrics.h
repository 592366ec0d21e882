// SPDX-License-Identifier: Apache-2.0
// The series that the store keeps per rank and step: one column each in table `step`, and a min/max/mean pyramid.
#pragma once

#include "core/base/text/message.h"
#include "core/telemetry/format/records.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope::store {

enum class Metric : std::uint8_t {
    Loss,
    LearningRate,
    GradientNorm,
    MaskedFrames,
    SamplesPerSecond,
    BatchSize,
    FramesMin,
    FramesMean,
    FramesMax,
    SamplesMax,
    PaddingShare,
    StepTime, ///< ns
    // waits, ns: latest arrival over all ranks - this rank's arrival, summed over the step
    WaitTotal,
    WaitLengthSync,
    WaitGradient,
    WaitSyncBatchNorm,
    WaitBarrier,
    WaitMetrics,
    WaitOther,
    /// ns for which the training thread was blocked in collectives (for gradients: after the last bucket had started)
    ExposedWait,
    // phases, ns
    DataWait,
    ToDevice,
    Preprocess,
    Augment,
    Forward,
    LossTime,
    Backward,
    Optimizer,
    Validate,
    Checkpoint,
    Barrier,
    Count
};

struct MetricInfo {
    Metric metric;
    const char* column; ///< in table step
    const char* unit;   ///< "s" for those kept in ns and shown as seconds, "frames", "", …
    double scale;       ///< stored x scale = shown in unit
};
std::span<const MetricInfo> metrics();
const MetricInfo& info(Metric metric);
Message title(Metric metric); ///< for axes
/// Returns the metric that holds a phase's time; none for phases before the first step.
std::optional<Metric> phaseMetric(telemetry::Phase phase);

/// One point of a series: a single step (count 1) or a bucket of the pyramid.
struct SeriesPoint {
    std::int64_t firstStep = 0, lastStep = 0;
    std::int64_t beginNs = 0, endNs = 0; ///< since the run's start
    std::int64_t count = 0;              ///< steps with a finite value
    std::int64_t notFinite = 0;
    double min = 0, max = 0, mean = 0; ///< over the finite values; NaN if there are none
};

} // namespace rankscope::store
