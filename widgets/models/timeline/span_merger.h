// SPDX-License-Identifier: GPL-3.0-or-later
// Merges what is shorter than a pixel, so that a picture has a bounded number of parts however long the run is. Pure.
//
// Nothing is lost by it: a span of a pixel or more stays as it is. Shorter ones are added to the column of pixels that
// they begin in, each kind for itself, and the column keeps the longest of them; who draws it gives each kind that is
// in it at least one pixel of height. So neither a long nor a rare phase can vanish between many short ones.
#pragma once

#include "widgets/models/timeline/timeline_data.h"

namespace rankscope::ui {

/// The spans of one rank, of one kind, ascending by begin but for little.
class SpanMerger {
public:
    explicit SpanMerger(std::int64_t nsPerPixel) : m_pixelNs(std::max<std::int64_t>(nsPerPixel, 1)) {}

    void add(const TimelineSpan& span);
    /// Sorted; afterwards the merger is empty.
    std::vector<TimelineSpan> takeSpans();
    std::vector<TimelineColumn> takeColumns();

private:
    std::int64_t m_pixelNs;
    std::vector<TimelineSpan> m_spans;
    std::vector<TimelineColumn> m_columns;
    std::int64_t m_column = INT64_MIN; ///< of the last of m_columns
};

/// Gives overlapping collectives rows: the first that is free, the last of `most` when none is. Returns how many rows
/// are used, at least 1. Spans ascend by begin.
int placeInRows(std::vector<TimelineSpan>& spans, int most);

/// Per-step series of one rank made into sums: by phase metric the points of store::RunReader::series(), and those of
/// the step time, all of the same steps and the same grain.
struct SumSeries {
    std::vector<store::SeriesPoint> stepTime, exposed;
    std::array<std::vector<store::SeriesPoint>, kPhaseCount> phases;
};
std::vector<TimelineSum> sumsOf(const SumSeries& series);

} // namespace rankscope::ui
