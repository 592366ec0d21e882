// SPDX-License-Identifier: GPL-3.0-or-later
// The series of a run for its plots, and the table that an axis of samples needs.
#include "core/base/values/clock.h"
#include "core/base/values/result.h"
#include "widgets/models/run/run_observer.h"
#include "widgets/models/text/text_format.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>

namespace rankscope::ui {

namespace {
constexpr std::int64_t kEveryStep = INT64_MAX / 2;
constexpr int kMostTablePoints = 150'000, kTablePoints = 2000; ///< over all ranks; of one
} // namespace

void RunObserver::findBatchSizes() {
    for (const auto& s : m_view.summaries) {
        if (m_view.hasBatchSizes)
            return;
        const auto points = m_reader->series(store::Metric::BatchSize, s.rank, 0, kEveryStep, 1);
        m_view.hasBatchSizes = points && std::any_of(points->begin(), points->end(),
                                                     [](const auto& p) { return p.count > 0 && p.mean > 0; });
    }
}

Result<std::vector<std::vector<store::SeriesPoint>>> RunObserver::batchSizes(std::int64_t first, std::int64_t last,
                                                                             int maxPoints) {
    std::vector<std::vector<store::SeriesPoint>> ranks;
    for (int r = 0; r < std::clamp(m_view.info.worldSize, 0, kMaxRanksShown); ++r) {
        RS_TRY_ASSIGN(auto points, m_reader->series(store::Metric::BatchSize, r, first, last, maxPoints));
        ranks.push_back(std::move(points));
    }
    return ranks;
}

/// Read again when the store has more.
Result<SampleAxisPtr> RunObserver::wholeSampleAxis() {
    if (m_samples && m_samplesVersion == m_view.stepsVersion)
        return m_samples;
    const int ranks = std::clamp(m_view.info.worldSize, 1, kMaxRanksShown);
    RS_TRY_ASSIGN(auto sizes, batchSizes(0, kEveryStep, std::clamp(kMostTablePoints / ranks, 50, kTablePoints)));
    m_samples = std::make_shared<const SampleAxis>(sizes);
    m_samplesVersion = m_view.stepsVersion;
    return m_samples;
}

/// The table of the whole run, refined to the pixels of the window that was asked for.
Result<SampleAxisPtr> RunObserver::sampleAxis(const SeriesRequest& request) {
    auto whole = wholeSampleAxis();
    if (!whole || (*whole)->isEmpty())
        return whole;
    const SampleAxis& table = **whole;
    const auto [after, last] =
        table.around(table.stepAt(static_cast<double>(request.from)), table.stepAt(static_cast<double>(request.to)));
    if (last <= after || (last - after) * 2 > table.lastStep())
        return whole; // no finer points would come
    const auto sizes = batchSizes(static_cast<std::int64_t>(after) + 1, static_cast<std::int64_t>(last),
                                  std::max(request.maxPoints, 50));
    if (!sizes)
        return tl::unexpected(sizes.error());
    return std::make_shared<const SampleAxis>(table.refined(SampleAxis(*sizes), after, last));
}

void RunObserver::readSeries(store::Metric metric, std::int64_t from, std::int64_t to, SeriesReply& reply) {
    const SeriesRequest& request = reply.request;
    auto& ranks = reply.points.emplace_back();
    for (int r = 0; r < std::clamp(m_view.info.worldSize, 0, kMaxRanksShown); ++r) {
        auto points = request.axis == CurveAxis::Time ? m_reader->seriesByTime(metric, r, from, to, request.maxPoints)
                                                      : m_reader->series(metric, r, from, to, request.maxPoints);
        if (!points) {
            reply.error = toQString(points.error().message());
            ranks.emplace_back();
            continue;
        }
        ranks.push_back(std::move(*points));
    }
}

SeriesReply RunObserver::series(const SeriesRequest& request) {
    const std::int64_t beganNs = monotonicNs();
    SeriesReply reply;
    reply.request = request;
    reply.stepsVersion = m_view.stepsVersion;
    if (!m_reader) {
        reply.error = m_view.problem;
        return reply;
    }
    for (const auto& s : m_view.summaries) {
        reply.lastStep = std::max(reply.lastStep, s.lastStep);
        reply.lastNs = std::max(reply.lastNs, s.lastNs);
    }
    std::int64_t from = request.from, to = request.to;
    if (request.axis == CurveAxis::SampleCount) {
        auto table = sampleAxis(request);
        reply.samples = table ? std::move(*table) : std::make_shared<const SampleAxis>();
        if (!table)
            reply.error = toQString(table.error().message());
        from = static_cast<std::int64_t>(std::floor(reply.samples->stepAt(static_cast<double>(request.from))));
        to = static_cast<std::int64_t>(std::ceil(reply.samples->stepAt(static_cast<double>(request.to))));
        from = std::max<std::int64_t>(0, from);
    }
    for (const auto metric : request.metrics)
        readSeries(metric, from, to, reply);
    if (request.withChain && request.axis == CurveAxis::Step)
        for (const auto metric : request.metrics) {
            auto earlier = m_chain.series(metric, from, to, request.maxPoints);
            if (!earlier)
                reply.error = toQString(earlier.error().message());
            reply.earlier.push_back(earlier ? std::move(*earlier) : std::vector<std::vector<store::SeriesPoint>>{});
        }
    reply.tookNs = monotonicNs() - beganNs;
    return reply;
}

} // namespace rankscope::ui
