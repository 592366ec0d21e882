// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/runs_page/curves/lineage_curve.h"

#include "widgets/models/run/lineage_reader.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace rankscope::ui {

static Samples validationsBefore(const RunChain& chain) {
    Samples samples;
    for (const ChainPart& part : chain.parts)
        for (const auto& row : part.validations) {
            Sample s;
            s.x = static_cast<double>(row.step);
            s.firstStep = s.lastStep = row.step;
            s.timeNs = row.endNs;
            s.min = s.mean = s.max = row.loss;
            s.count = std::isfinite(row.loss) ? 1 : 0;
            s.notFinite = 1 - s.count;
            samples.push_back(s);
        }
    return samples;
}

/// Over all ranks, or of one alone.
static Samples acrossRanks(const std::vector<std::vector<store::SeriesPoint>>& ranks, double scale,
                           std::optional<std::size_t> only) {
    std::vector<Samples> each;
    for (std::size_t r = 0; r < ranks.size(); ++r)
        if (!only || *only == r)
            each.push_back(toSamples(ranks[r], CurveAxis::Step, scale));
    if (each.size() == 1)
        return std::move(each.front());
    std::vector<const Samples*> all;
    for (const Samples& samples : each)
        all.push_back(&samples);
    return bandAcross(all);
}

void prependEarlier(const launch::RunPaths& run, const std::vector<store::RankSummary>& ranks,
                    const CurveRequest& request, int maxPoints, const std::function<bool()>& cancelled, Curve& curve) {
    const auto info = launch::recordedRunInfo(run);
    if (!info || info->resumedFrom.empty() || ranks.empty())
        return;
    std::int64_t first = -1;
    for (const auto& rank : ranks)
        if (rank.firstStep >= 0)
            first = first < 0 ? rank.firstStep : std::min(first, rank.firstStep);
    ChainReader reader(run, request.metric ? ChainReader::Detail::Curves : ChainReader::Detail::All);
    const RunChainPtr chain = reader.read(info->resumedFrom, first, cancelled);
    Samples before;
    if (chain && request.metric) {
        constexpr std::int64_t kEnd = std::numeric_limits<std::int64_t>::max() / 2;
        const auto points = reader.series(*request.metric, 0, kEnd, maxPoints, cancelled);
        if (!points)
            curve.missing = QString::fromStdString(points.error().message());
        else
            before = acrossRanks(*points, store::info(*request.metric).scale,
                                 request.meanOverRanks
                                     ? std::nullopt
                                     : std::optional(static_cast<std::size_t>(std::max(0, ranks.front().rank))));
    } else if (chain) {
        before = validationsBefore(*chain);
    }
    if (const QString problem = first >= 0 ? reader.problem() : QString(); !problem.isEmpty())
        curve.missing = problem;
    curve.samples.insert(curve.samples.begin(), before.begin(), before.end());
}

} // namespace rankscope::ui
