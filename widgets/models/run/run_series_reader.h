// SPDX-License-Identifier: GPL-3.0-or-later
// The series of a run for its plots: the request, the reply, and the reader.
#pragma once

#include "core/base/values/error.h"
#include "core/store/read/run_reader.h"
#include "widgets/models/curves/curve_axis.h"
#include "widgets/models/run/lineage_reader.h"
#include "widgets/models/view/run_view.h"

#include <QString>

#include <cstdint>
#include <memory>
#include <vector>

namespace rankscope::ui {

/// A window of series for plots: one vector of points per rank.
struct SeriesRequest {
    std::vector<store::Metric> metrics;
    CurveAxis axis = CurveAxis::Step;
    std::int64_t from = 0, to = 0; ///< of the axis: steps, ns since the run's start, or samples
    int maxPoints = 1000;
    bool withEarlierRuns = false; ///< only on a step axis: also those of the earlier runs
};
struct SeriesReply {
    SeriesRequest request;
    std::int64_t stepsVersion = 0;
    std::vector<std::vector<std::vector<store::SeriesPoint>>> points;  ///< [metric][rank][point]
    std::vector<std::vector<std::vector<store::SeriesPoint>>> earlier; ///< the same for the earlier runs
    SampleAxisPtr samples;                                             ///< position of the steps on an axis of samples
    std::int64_t tookNs = 0;                                           ///< reading time
    std::int64_t lastStep = -1, lastNs = 0;                            ///< of the whole run, for the overview strip
    QString error;
};
using SeriesReplyPtr = std::shared_ptr<const SeriesReply>;

/// Reads series of one run and keeps the table that an axis of samples needs.
class RunSeriesReader {
public:
    /// Reads series. `view` is the run as last read from `store`, and `chain` reads the runs before it.
    SeriesReply read(const SeriesRequest& request, store::RunReader& store, const RunView& view, LineageReader& chain);

private:
    Result<SampleAxisPtr> wholeSampleAxis(store::RunReader& store, const RunView& view);
    Result<SampleAxisPtr> sampleAxis(const SeriesRequest& request, store::RunReader& store, const RunView& view);

    SampleAxisPtr m_samples; ///< of the whole run, as of m_samplesVersion
    std::int64_t m_samplesVersion = -1;
};

} // namespace rankscope::ui
