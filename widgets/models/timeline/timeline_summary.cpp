// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/timeline/timeline_summary.h"

#include "core/base/values/result.h"

#include <algorithm>
#include <cmath>

namespace rankscope::ui {

SummaryBuilder::SummaryBuilder(const SummaryRequest& request) {
    m_summary.request = request;
    const bool any = request.toNs > request.fromNs && request.columns > 0;
    const auto columns = static_cast<std::size_t>(any ? request.columns : 0);
    m_summary.columns.resize(columns);
    m_time.resize(columns);
    m_blocked.resize(columns);
    m_data.resize(columns);
}

template <class Take> void SummaryBuilder::eachColumn(std::int64_t beginNs, std::int64_t endNs, const Take& take) {
    const double width = m_summary.columnNs(), from = static_cast<double>(m_summary.request.fromNs);
    const double begin = (static_cast<double>(beginNs) - from) / width,
                 end = (static_cast<double>(endNs) - from) / width;
    const auto last = static_cast<double>(m_summary.columns.size());
    if (m_summary.columns.empty() || end <= 0 || begin >= last)
        return;
    const auto first = static_cast<std::size_t>(std::max(begin, 0.0));
    const auto behind = static_cast<std::size_t>(std::min(std::ceil(end), last));
    for (std::size_t c = first; c < std::max(behind, first + 1); ++c) {
        const auto left = static_cast<double>(c);
        take(c, std::max(std::min(end, left + 1) - std::max(begin, left), 0.0) * width);
    }
}

void SummaryBuilder::add(Points stepTimes, Points blocked, Points data) {
    for (const auto& point : stepTimes) {
        if (point.count == 0 || point.endNs <= point.beginNs)
            continue;
        eachColumn(point.beginNs, point.endNs, [&](std::size_t c, double ns) {
            auto& column = m_summary.columns[c];
            m_time[c] += ns;
            column.longestStepNs = std::max(column.longestStepNs, static_cast<std::int64_t>(point.max));
            // a point of several steps: use the step that would be here if all took the same time
            const double at = (static_cast<double>(m_summary.request.fromNs) +
                               static_cast<double>(c) * m_summary.columnNs() - static_cast<double>(point.beginNs)) /
                              static_cast<double>(point.endNs - point.beginNs);
            const auto step =
                point.firstStep + static_cast<std::int64_t>(std::clamp(at, 0.0, 1.0) *
                                                            static_cast<double>(point.lastStep - point.firstStep));
            if (column.firstStep < 0 || step < column.firstStep)
                column.firstStep = step;
        });
    }
    addShare(blocked, m_blocked);
    addShare(data, m_data);
}

void SummaryBuilder::addShare(Points points, std::vector<double>& to) {
    for (const auto& point : points) {
        const auto length = static_cast<double>(point.endNs - point.beginNs);
        if (point.count == 0 || !(length > 0))
            continue;
        const double share = point.mean * static_cast<double>(point.count) / length;
        eachColumn(point.beginNs, point.endNs, [&](std::size_t c, double ns) { to[c] += share * ns; });
    }
}

TimelineSummary SummaryBuilder::take() {
    for (std::size_t c = 0; c < m_time.size(); ++c)
        if (m_time[c] > 0) {
            m_summary.columns[c].blocked = static_cast<float>(std::clamp(m_blocked[c] / m_time[c], 0.0, 1.0));
            m_summary.columns[c].data = static_cast<float>(std::clamp(m_data[c] / m_time[c], 0.0, 1.0));
        }
    return std::move(m_summary);
}

Result<TimelineSummary> readSummary(store::RunReader& run, const SummaryRequest& request,
                                    const std::function<bool()>& cancelled) {
    SummaryBuilder builder(request);
    RS_TRY_ASSIGN(const auto ranks, run.ranks());
    for (const auto& rank : ranks) {
        if (cancelled && cancelled())
            return fail(Errc::Busy, "was cancelled");
        const auto series = [&](store::Metric metric) {
            return run.seriesByTime(metric, rank.rank, request.fromNs, request.toNs, request.columns);
        };
        const auto times = series(store::Metric::StepTime);
        const auto blocked = times ? series(store::Metric::ExposedWait) : times;
        RS_TRY_ASSIGN(const auto data, blocked ? series(store::Metric::DataWait) : blocked);
        builder.add(*times, *blocked, data);
    }
    return builder.take();
}

} // namespace rankscope::ui
