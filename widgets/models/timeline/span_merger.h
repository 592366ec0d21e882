// SPDX-License-Identifier: GPL-3.0-or-later
// Merges spans shorter than a pixel, so that a picture has a bounded number of parts however long the run is. Pure.
//
// Nothing is lost: a span of a pixel or more stays unchanged. Shorter ones are added to the column of pixels they begin
// in, separately for each kind, and the column keeps the longest of them. The drawing code gives each kind in a column
// at least one pixel of height, so neither a long nor a rare phase can vanish among many short ones.
#pragma once

#include "widgets/models/timeline/timeline_data.h"

namespace rankscope::ui {

/// Takes the spans of one rank and one kind, nearly ascending by begin.
class SpanMerger {
public:
    explicit SpanMerger(std::int64_t nsPerPixel) : m_pixelNs(std::max<std::int64_t>(nsPerPixel, 1)) {}

    void add(const TimelineSpan& span);
    /// Returns the spans, sorted; the merger is empty afterwards.
    std::vector<TimelineSpan> takeSpans();
    std::vector<TimelineColumn> takeColumns();

private:
    std::int64_t m_pixelNs;
    std::vector<TimelineSpan> m_spans;
    std::vector<TimelineColumn> m_columns;
    std::int64_t m_column = INT64_MIN; ///< of the last of m_columns
};

/// Assigns rows to overlapping collectives: the first free row, or the last of `most` if none is free. Returns how many
/// rows are used, at least 1. Spans must ascend by begin.
int placeInRows(std::vector<TimelineSpan>& spans, int most);

/// Per-step series of one rank turned into sums: by phase metric the points of store::RunReader::series(), and those of
/// the step time, all with the same steps and the same grain.
struct SumSeries {
    std::vector<store::SeriesPoint> stepTime, exposed;
    std::array<std::vector<store::SeriesPoint>, kPhaseCount> phases;
};
std::vector<TimelineSum> sumsOf(const SumSeries& series);

} // namespace rankscope::ui
