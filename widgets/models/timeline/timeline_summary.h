// SPDX-License-Identifier: GPL-3.0-or-later
// Summarises what all ranks together did over a part of the run, in columns of equal time: the shares of it that they
// waited in collectives and for data, and how long steps took. Readable when single spans are too small to be seen.
#pragma once

#include "core/base/values/error.h"
#include "core/store/read/run_reader.h"

#include <QString>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace rankscope::ui {

struct SummaryRequest {
    std::filesystem::path store;
    std::int64_t fromNs = 0, toNs = 0; ///< since the run's start
    int columns = 0;
    friend bool operator==(const SummaryRequest&, const SummaryRequest&) = default;
};

struct SummaryColumn {
    float blocked = -1;             ///< in collectives, share of the ranks' time in steps, 0 … 1; -1: no step is here
    float data = -1;                ///< the same for waiting for data
    std::int64_t longestStepNs = 0; ///< of any rank, of the steps that touch the column; 0: none
    std::int64_t firstStep = -1;    ///< that touches the column
    friend bool operator==(const SummaryColumn&, const SummaryColumn&) = default;
};

struct TimelineSummary {
    SummaryRequest request;
    std::vector<SummaryColumn> columns;
    QString error;

    double columnNs() const {
        return static_cast<double>(request.toNs - request.fromNs) /
               static_cast<double>(std::max<std::size_t>(columns.size(), 1));
    }
};
using TimelineSummaryPtr = std::shared_ptr<const TimelineSummary>;

/// Adds up the series of ranks; pure.
class SummaryBuilder {
public:
    explicit SummaryBuilder(const SummaryRequest& request);
    using Points = std::span<const store::SeriesPoint>;
    /// Adds a rank's series, in ns: step times, time blocked in collectives, time waiting for data. Points are placed
    /// by their times, whatever their steps.
    void add(Points stepTimes, Points blocked, Points data);
    TimelineSummary take();

private:
    /// Calls `take` with each column that [beginNs, endNs) touches and the overlap in ns.
    template <class Take> void eachColumn(std::int64_t beginNs, std::int64_t endNs, const Take& take);

    void addShare(Points points, std::vector<double>& to);

    TimelineSummary m_summary;
    std::vector<double> m_time, m_blocked, m_data;
};

/// Reads the summary. Blocks, so call it in worker threads. Ends with Busy soon after `cancelled` returns true.
Result<TimelineSummary> readSummary(store::RunReader& run, const SummaryRequest& request,
                                    const std::function<bool()>& cancelled);

} // namespace rankscope::ui
