// SPDX-License-Identifier: GPL-3.0-or-later
// Values that a timeline shows of a run. Times are ns since the run's start.
#pragma once

#include "core/diagnosis/waits/wait_matrix.h"
#include "core/store/read/run_reader.h"

#include <QString>

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace rankscope::ui {

using diagnosis::kPhaseCount;

/// A phase or a collective of one rank.
struct TimelineSpan {
    std::int64_t beginNs = 0, endNs = 0; ///< of a collective: arrival and completion
    std::int64_t step = -1;
    bool collective = false;
    telemetry::Phase phase = telemetry::Phase::None; ///< of a collective: of the training thread on arrival
    std::uint8_t row = 0;                            ///< overlapping collectives are in separate rows
    telemetry::CollectiveOp op = telemetry::CollectiveOp::Other;
    int tag = -1; ///< index in TimelineReply::tags
    int holder = -1;
    std::uint32_t group = 0;
    std::uint64_t sequence = 0;
    std::int64_t count = 0, waitNs = -1, exposedNs = -1;

    std::int64_t lengthNs() const { return endNs - beginNs; }
    /// Returns when the last rank arrived; at most the end of the span, in case the rank left the collective early.
    std::int64_t waitEndNs() const { return beginNs + std::clamp<std::int64_t>(waitNs, 0, lengthNs()); }
};

TimelineSpan spanOf(const store::PhaseRow& row);
TimelineSpan spanOf(const store::CollectiveRow& row, int tag);

/// Spans shorter than a pixel in one column of pixels: their kinds, and the time of each.
struct TimelineColumn {
    std::int64_t beginNs = 0, endNs = 0; ///< of the earliest and the latest of them
    std::int64_t count = 0;
    std::array<float, kPhaseCount> phaseNs{}; ///< phases: by kind
    float waitNs = 0, restNs = 0;             ///< collectives: waited, and after that
    TimelineSpan longest;                     ///< the longest of them
};

/// The steps' sums for some steps, used if single phases are not kept (or too many are in view).
struct TimelineSum {
    std::int64_t firstStep = 0, lastStep = 0;
    std::int64_t beginNs = 0, endNs = 0;
    std::array<float, kPhaseCount> share{}; ///< by phase, of the time; mean
    float waitShare = 0;                    ///< of the time the training thread was blocked in collectives
    float longest = 0;                      ///< the longest of these steps / their mean; 0: one step

    /// Returns false for an imported run's steps, for which only the duration is known.
    bool knowsPhases() const {
        return std::any_of(share.begin(), share.end(), [](float part) { return part > 0; });
    }
};

struct TimelineLane {
    int rank = 0;
    std::vector<TimelineSpan> phases, collectives; ///< at least a pixel long; ascending by begin
    std::vector<TimelineColumn> phaseColumns, collectiveColumns;
    std::vector<TimelineSum> sums;         ///< of steps whose single phases are not shown here
    std::vector<store::SeriesPoint> steps; ///< begin and end of steps, or of groups of them
    int rows = 1;                          ///< of collectives
};

/// Requests a part of the run, for some ranks, at the resolution of a pixel.
struct TimelineRequest {
    std::filesystem::path store;
    std::int64_t fromNs = 0, toNs = 0;
    int firstRank = 0, lastRank = 0;
    std::int64_t nsPerPixel = 1; ///< shorter spans are merged
    friend bool operator==(const TimelineRequest&, const TimelineRequest&) = default;
};

struct TimelineReply {
    TimelineRequest request;
    std::vector<TimelineLane> lanes; ///< by rank, ascending
    std::vector<std::string> tags;
    store::StepInterval steps;   ///< that touch the part
    std::int64_t singleFrom = 0; ///< before this step, single spans are kept only around incidents
    bool tooMany = false;        ///< single spans were left out: too many steps are in view
    bool anySingle = false, anySums = false;
    std::int64_t spans = 0;  ///< single spans that were read
    std::int64_t readNs = 0; ///< reading time
    std::int64_t lastNs = 0; ///< end of the newest step of the run
    QString error;

    const TimelineLane* lane(int rank) const;
    QString tag(const TimelineSpan& span) const; ///< the operation if it has none
};
using TimelineReplyPtr = std::shared_ptr<const TimelineReply>;

/// One collective over all ranks.
struct CollectiveDetail {
    std::int64_t step = -1;
    std::uint32_t group = 0;
    std::uint64_t sequence = 0;
    std::vector<store::CollectiveRow> ranks; ///< by arrival
    QString error;
};

/// Details that are read once a span is selected.
struct SpanDetail {
    int rank = 0;
    TimelineSpan span;
    CollectiveDetail collective;        ///< of a collective
    std::optional<store::StepRow> step; ///< it belongs to; none before the first one
    std::optional<TimelineSpan> cause;  ///< of a wait: what the holder did for most of it
    QString error;
};

/// A search: everything that is set has to match.
struct TimelineQuery {
    std::string text; ///< part of a phase's name or a tag, in lower case
    std::optional<int> rank;
    std::optional<std::int64_t> step;
    bool isEmpty() const { return text.empty() && !rank && !step; }
    friend bool operator==(const TimelineQuery&, const TimelineQuery&) = default;
};
/// Parses "data_wait", "gradient:3", "412", "step 412", "rank 3", or several of them: "checkpoint rank 0".
TimelineQuery parseTimelineQuery(const QString& text);

struct TimelineHit {
    int rank = 0;
    bool wholeStep = false; ///< a step of a rank, not a single span
    TimelineSpan span;
    std::string tag; ///< of a collective
};
struct TimelineHits {
    TimelineQuery query;
    std::vector<TimelineHit> hits; ///< by begin
    bool more = false;             ///< there are more than these
    QString error;
};

/// Returns the steps whose rows may be in a part: those that touch it, the one in progress before it, and one on either
/// side. A phase before the first step, or one that continues after the last, touches no step.
Result<store::StepInterval> stepsAround(store::RunReader& run, std::int64_t fromNs, std::int64_t toNs);

} // namespace rankscope::ui
