// SPDX-License-Identifier: GPL-3.0-or-later
// Reads parts of a timeline from a store. Blocks, so use it in worker threads; one object per thread.
//
// Every read is bounded: single spans by kMostRankSteps (steps x ranks) and kMostSpans, sums by pixels. The result
// grows only with pixels and lanes.
#pragma once

#include "core/base/values/error.h"
#include "widgets/models/timeline/timeline_data.h"
#include "widgets/models/timeline/timeline_summary.h"

#include <functional>

namespace rankscope::ui {

class TimelineSource {
public:
    /// If a part has more steps of all ranks together, single spans are left out and sums are shown.
    static constexpr std::int64_t kMostRankSteps = 20'000;
    static constexpr std::int64_t kMostSpans = 4'000'000;
    static constexpr std::size_t kMostHits = 20'000;
    static constexpr int kMostRows = 3; ///< of collectives in a lane

    using Cancelled = std::function<bool()>;
    /// Reads a part. Like the other calls, it ends with Busy soon after `cancelled` returns true.
    Result<TimelineReply> read(const TimelineRequest& request, const Cancelled& cancelled);
    Result<CollectiveDetail> collective(const std::filesystem::path& store, const TimelineSpan& span);
    Result<SpanDetail> detail(const std::filesystem::path& store, int rank, const TimelineSpan& span);
    Result<TimelineSummary> summary(const SummaryRequest& request, const Cancelled& cancelled);
    /// Searches the single spans that are kept, and steps.
    Result<TimelineHits> search(const std::filesystem::path& store, const TimelineQuery& query,
                                const Cancelled& cancelled);

private:
    Result<store::RunReader*> reader(const std::filesystem::path& store);
    Result<void> searchSpans(store::RunReader& run, const TimelineQuery& query, const Cancelled& cancelled,
                             TimelineHits& into);

    std::filesystem::path m_store;
    std::optional<store::RunReader> m_reader;
};

} // namespace rankscope::ui
