// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/store/open/open_store.h"
#include "core/store/tables/metrics.h"
#include "core/store/waits/wait_report.h"
#include "core/telemetry/format/records.h"

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace rankscope::store {

/// One validation as a rank recorded it.
struct ValidationRow {
    int rank = 0;
    std::int64_t step = -1;              ///< the training step that it followed
    std::int64_t beginNs = 0, endNs = 0; ///< since the run's start
    double loss = 0, localLoss = 0;      ///< val_loss; loss of this rank's batches. NaN: none had a masked frame
    std::int64_t batches = 0;
    bool known = true; ///< false: the losses are NaN because the rank does not know them
};

struct CollectiveRow {
    int rank = 0;
    std::int64_t step = -1;
    std::uint32_t group = 0;
    std::uint64_t sequence = 0;
    telemetry::CollectiveOp op = telemetry::CollectiveOp::Other;
    std::string tag;
    std::int64_t count = 0;
    telemetry::Phase phase = telemetry::Phase::None;
    std::int64_t arrivedNs = 0, startedNs = 0, doneNs = 0, exposedNs = -1; ///< since the run's start
    std::int64_t waitNs = -1;                                              ///< -1: not all ranks arrived
    int holder = -1;                                                       ///< rank of the latest arrival
};

struct PhaseRow {
    int rank = 0;
    std::int64_t step = -1;
    telemetry::Phase phase = telemetry::Phase::None;
    std::int64_t beginNs = 0, endNs = 0;
};

/// One row of table `step`.
struct StepRow {
    int rank = 0;
    std::int64_t step = -1, epoch = -1;  ///< epoch -1: not known
    std::int64_t beginNs = 0, endNs = 0; ///< since the run's start
    /// Values by Metric. None: not measured. NaN: measured, but not a finite number.
    std::array<std::optional<double>, static_cast<std::size_t>(Metric::Count)> values;

    std::optional<double> value(Metric metric) const { return values[static_cast<std::size_t>(metric)]; }
};

/// A point of an imported series that is not one of the metrics.
struct ScalarRow {
    int rank = 0;
    std::string tag;
    std::int64_t step = 0, timeNs = 0; ///< since the run's start
    double value = 0;                  ///< NaN: not a number
};

/// Reads single rows: steps, collectives, phases, validations and scalars.
class SpanReader {
public:
    explicit SpanReader(OpenStore& store) : m_store(&store) {}

    Result<std::vector<CollectiveRow>> collectives(std::int64_t firstStep, std::int64_t lastStep, int limit);
    Result<std::vector<PhaseRow>> phases(std::int64_t firstStep, std::int64_t lastStep, int limit);
    /// The each… functions read row by row, for data that is too large for memory. They stop at the first error of
    /// `take`, which must not query this store. These two give the rows of one rank, by step.
    Result<void> eachStep(int rank, StepInterval steps, const std::function<Result<void>(const StepRow&)>& take);
    Result<void> eachValidation(int rank, StepInterval steps,
                                const std::function<Result<void>(const ValidationRow&)>& take);
    /// Calls `take` with the rows of all ranks, in the order of collectives() and phases().
    Result<void> eachCollective(StepInterval steps, const std::function<Result<void>(const CollectiveRow&)>& take);
    Result<void> eachPhase(StepInterval steps, const std::function<Result<void>(const PhaseRow&)>& take);
    /// Calls `take` with the scalars of a rank, by tag and step: series of an imported run, and the losses of several
    /// validation sets.
    Result<void> eachScalar(int rank, const std::function<Result<void>(const ScalarRow&)>& take);

private:
    OpenStore* m_store;
};

} // namespace rankscope::store
