// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/timeline/span_merger.h"

#include <algorithm>
#include <cmath>

namespace rankscope::ui {

using store::Metric;
using store::SeriesPoint;
using telemetry::Phase;

static bool earlier(const TimelineSpan& a, const TimelineSpan& b) {
    return a.beginNs < b.beginNs;
}

void SpanMerger::add(const TimelineSpan& span) {
    if (span.lengthNs() >= m_pixelNs) {
        m_spans.push_back(span);
        return;
    }
    const std::int64_t column = span.beginNs / m_pixelNs - (span.beginNs < 0);
    if (m_columns.empty() || column != m_column) {
        m_columns.emplace_back();
        m_columns.back().beginNs = span.beginNs;
        m_columns.back().endNs = span.endNs;
        m_columns.back().longest = span;
        m_column = column;
    }
    TimelineColumn& into = m_columns.back();
    into.beginNs = std::min(into.beginNs, span.beginNs);
    into.endNs = std::max(into.endNs, span.endNs);
    if (span.lengthNs() > into.longest.lengthNs())
        into.longest = span;
    ++into.count;
    if (span.collective) {
        into.waitNs += static_cast<float>(span.waitEndNs() - span.beginNs);
        into.restNs += static_cast<float>(span.endNs - span.waitEndNs());
    } else {
        const auto phase = std::min(static_cast<std::size_t>(span.phase), kPhaseCount - 1);
        into.phaseNs[phase] += static_cast<float>(std::max<std::int64_t>(span.lengthNs(), 1));
    }
}

std::vector<TimelineSpan> SpanMerger::takeSpans() {
    std::stable_sort(m_spans.begin(), m_spans.end(), earlier);
    return std::move(m_spans);
}

std::vector<TimelineColumn> SpanMerger::takeColumns() {
    std::stable_sort(m_columns.begin(), m_columns.end(),
                     [](const TimelineColumn& a, const TimelineColumn& b) { return a.beginNs < b.beginNs; });
    m_column = INT64_MIN;
    return std::move(m_columns);
}

int placeInRows(std::vector<TimelineSpan>& spans, int most) {
    std::vector<std::int64_t> ends(static_cast<std::size_t>(std::max(most, 1)), INT64_MIN);
    int used = 1;
    for (TimelineSpan& span : spans) {
        std::size_t row = 0;
        while (row + 1 < ends.size() && ends[row] > span.beginNs)
            ++row;
        ends[row] = std::max(ends[row], span.endNs);
        span.row = static_cast<std::uint8_t>(row);
        used = std::max(used, static_cast<int>(row) + 1);
    }
    return used;
}

namespace {

/// Returns the sum over the steps of `group` in a series that has the same groups, or lacks some; advances `at`.
double totalIn(const std::vector<SeriesPoint>& points, std::size_t& at, const SeriesPoint& group) {
    while (at < points.size() && points[at].firstStep < group.firstStep)
        ++at;
    double total = 0;
    for (; at < points.size() && points[at].firstStep <= group.lastStep; ++at)
        if (points[at].count > 0 && std::isfinite(points[at].mean))
            total += points[at].mean * static_cast<double>(points[at].count);
    return total;
}

} // namespace

std::vector<TimelineSum> sumsOf(const SumSeries& series) {
    std::vector<TimelineSum> sums;
    sums.reserve(series.stepTime.size());
    std::array<std::size_t, kPhaseCount> at{};
    std::size_t exposedAt = 0;
    for (const SeriesPoint& group : series.stepTime) {
        TimelineSum sum;
        sum.firstStep = group.firstStep;
        sum.lastStep = group.lastStep;
        sum.beginNs = group.beginNs;
        sum.endNs = group.endNs;
        const double lasted = static_cast<double>(std::max<std::int64_t>(group.endNs - group.beginNs, 1));
        for (std::size_t p = 0; p < kPhaseCount; ++p)
            sum.share[p] = static_cast<float>(std::clamp(totalIn(series.phases[p], at[p], group) / lasted, 0.0, 1.0));
        sum.waitShare = static_cast<float>(std::clamp(totalIn(series.exposed, exposedAt, group) / lasted, 0.0, 1.0));
        if (group.count > 1 && group.mean > 0)
            sum.longest = static_cast<float>(group.max / group.mean);
        sums.push_back(sum);
    }
    return sums;
}

} // namespace rankscope::ui
