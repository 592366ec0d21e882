// SPDX-License-Identifier: GPL-3.0-or-later
// Reads a timeline's parts from a store. Blocks: for worker threads; one object per thread.
//
// Every read is bounded: single spans by kMostRankSteps (steps x ranks) and kMostSpans, sums by pixels. What comes back
// grows with pixels and lanes only.
#pragma once

#include "core/base/values/error.h"
#include "widgets/models/timeline/timeline_data.h"
#include "widgets/models/timeline/timeline_summary.h"

#include <functional>

namespace rankscope::ui {

class TimelineSource {
public:
    /// In more steps of all ranks together, single spans are left out and sums shown.
    static constexpr std::int64_t kMostRankSteps = 20'000;
    static constexpr std::int64_t kMostSpans = 4'000'000;
    static constexpr std::size_t kMostHits = 20'000;
    static constexpr int kMostRows = 3; ///< of collectives in a lane

    using Cancelled = std::function<bool()>;
    /// Each ends with Busy soon after `cancelled` says true.
    Result<TimelineReply> read(const TimelineRequest& request, const Cancelled& cancelled);
    Result<CollectiveDetail> collective(const std::filesystem::path& store, const TimelineSpan& span);
    Result<SpanDetail> detail(const std::filesystem::path& store, int rank, const TimelineSpan& span);
    Result<TimelineSummary> summary(const SummaryRequest& request, const Cancelled& cancelled);
    /// Single spans that are kept, and steps.
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
