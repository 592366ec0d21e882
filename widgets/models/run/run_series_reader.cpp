// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/run/run_series_reader.h"

#include "core/base/values/clock.h"
#include "core/base/values/result.h"
#include "widgets/models/text/text_format.h"

#include <algorithm>
#include <cmath>

namespace rankscope::ui {

namespace {
constexpr std::int64_t kEveryStep = INT64_MAX / 2;
constexpr int kMostTablePoints = 150'000, kTablePoints = 2000; ///< over all ranks; of one

Result<std::vector<std::vector<store::SeriesPoint>>> batchSizes(store::RunReader& store, int rankCount,
                                                                std::int64_t first, std::int64_t last, int maxPoints) {
    std::vector<std::vector<store::SeriesPoint>> ranks;
    for (int r = 0; r < rankCount; ++r) {
        RS_TRY_ASSIGN(auto points, store.series(store::Metric::BatchSize, r, first, last, maxPoints));
        ranks.push_back(std::move(points));
    }
    return ranks;
}

void readRanks(store::RunReader& store, int rankCount, store::Metric metric, std::int64_t from, std::int64_t to,
               SeriesReply& reply) {
    const SeriesRequest& request = reply.request;
    auto& ranks = reply.points.emplace_back();
    for (int r = 0; r < rankCount; ++r) {
        auto points = request.axis == CurveAxis::Time ? store.seriesByTime(metric, r, from, to, request.maxPoints)
                                                      : store.series(metric, r, from, to, request.maxPoints);
        if (!points)
            reply.error = toQString(points.error().message());
        ranks.push_back(points ? std::move(*points) : std::vector<store::SeriesPoint>{});
    }
}

} // namespace

/// Returns the table of the whole run; reads it again if the store has more steps.
Result<SampleAxisPtr> RunSeriesReader::wholeSampleAxis(store::RunReader& store, const RunView& view) {
    if (m_samples && m_samplesVersion == view.stepsVersion)
        return m_samples;
    const int ranks = view.shownRanks();
    const int points = std::clamp(kMostTablePoints / std::max(ranks, 1), 50, kTablePoints);
    RS_TRY_ASSIGN(const auto sizes, batchSizes(store, ranks, 0, kEveryStep, points));
    m_samples = std::make_shared<const SampleAxis>(sizes);
    m_samplesVersion = view.stepsVersion;
    return m_samples;
}

/// Returns the table of the whole run, refined to the pixels of the requested window.
Result<SampleAxisPtr> RunSeriesReader::sampleAxis(const SeriesRequest& request, store::RunReader& store,
                                                  const RunView& view) {
    RS_TRY_ASSIGN(auto whole, wholeSampleAxis(store, view));
    if (whole->isEmpty())
        return whole;
    const SampleAxis& table = *whole;
    const auto [after, last] =
        table.around(table.stepAt(static_cast<double>(request.from)), table.stepAt(static_cast<double>(request.to)));
    if (last <= after || (last - after) * 2 > table.lastStep())
        return whole; // there would be no finer points
    RS_TRY_ASSIGN(const auto sizes, batchSizes(store, view.shownRanks(), static_cast<std::int64_t>(after) + 1,
                                               static_cast<std::int64_t>(last), std::max(request.maxPoints, 50)));
    return std::make_shared<const SampleAxis>(table.refined(SampleAxis(sizes), after, last));
}

SeriesReply RunSeriesReader::read(const SeriesRequest& request, store::RunReader& store, const RunView& view,
                                  LineageReader& chain) {
    const std::int64_t beganNs = monotonicNs();
    SeriesReply reply;
    reply.request = request;
    reply.stepsVersion = view.stepsVersion;
    for (const auto& s : view.summaries) {
        reply.lastStep = std::max(reply.lastStep, s.lastStep);
        reply.lastNs = std::max(reply.lastNs, s.lastNs);
    }
    std::int64_t from = request.from, to = request.to;
    if (request.axis == CurveAxis::SampleCount) {
        auto table = sampleAxis(request, store, view);
        reply.samples = table ? std::move(*table) : std::make_shared<const SampleAxis>();
        if (!table)
            reply.error = toQString(table.error().message());
        from = static_cast<std::int64_t>(std::floor(reply.samples->stepAt(static_cast<double>(request.from))));
        to = static_cast<std::int64_t>(std::ceil(reply.samples->stepAt(static_cast<double>(request.to))));
        from = std::max<std::int64_t>(0, from);
    }
    for (const auto metric : request.metrics)
        readRanks(store, view.shownRanks(), metric, from, to, reply);
    if (request.withEarlierRuns && request.axis == CurveAxis::Step)
        for (const auto metric : request.metrics) {
            auto earlier = chain.series(metric, from, to, request.maxPoints);
            if (!earlier)
                reply.error = toQString(earlier.error().message());
            reply.earlier.push_back(earlier ? std::move(*earlier) : std::vector<std::vector<store::SeriesPoint>>{});
        }
    reply.tookNs = monotonicNs() - beganNs;
    return reply;
}

} // namespace rankscope::ui
