// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/runs_page/curves/run_curve.h"

#include "core/base/values/result.h"
#include "core/launch/run/run_folder.h"
#include "core/store/read/run_reader.h"
#include "widgets/models/run/lineage_reader.h"
#include "widgets/models/text/text_format.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace rankscope::ui {

namespace {

struct CompareLabels {
    Q_DECLARE_TR_FUNCTIONS(Compare)
};

constexpr std::int64_t kLastStep = std::numeric_limits<std::int64_t>::max() / 2;
constexpr int kMostValidations = 100'000;
constexpr int kMostPoints = 2000; ///< of a compared curve, per rank; twice that at most

RunCurve failed(const Error& error) {
    RunCurve curve;
    curve.missing = error.code == Errc::NotFound ? CompareLabels::tr("this run has no store")
                                                 : QString::fromStdString(error.message());
    return curve;
}

void appendValidations(const std::vector<store::ValidationRow>& rows, Samples& samples) {
    for (const auto& row : rows) {
        if (!row.known)
            continue;
        Sample s;
        s.x = static_cast<double>(row.step);
        s.firstStep = s.lastStep = row.step;
        s.timeNs = row.endNs;
        s.min = s.mean = s.max = row.loss;
        s.count = std::isfinite(row.loss) ? 1 : 0;
        s.notFinite = 1 - s.count;
        samples.push_back(s);
    }
}

Result<std::vector<Samples>> readRanks(store::RunReader& reader, const CurveRequest& request,
                                       std::span<const store::RankSummary> ranks, int maxPoints,
                                       const std::function<bool()>& cancelled) {
    std::vector<Samples> all;
    for (const auto& rank : ranks) {
        if (cancelled())
            return std::vector<Samples>{};
        RS_TRY_ASSIGN(auto points, reader.series(*request.metric, rank.rank, 0, kLastStep, maxPoints));
        all.push_back(samplesFrom(points, CurveAxis::Step, store::info(*request.metric).scale));
    }
    return all;
}

/// Returns one curve over all ranks, or that of a single one.
Samples acrossRanks(const std::vector<std::vector<store::SeriesPoint>>& ranks, double scale,
                    std::optional<std::size_t> only) {
    std::vector<Samples> each;
    for (std::size_t r = 0; r < ranks.size(); ++r)
        if (!only || *only == r)
            each.push_back(samplesFrom(ranks[r], CurveAxis::Step, scale));
    if (each.size() == 1)
        return std::move(each.front());
    std::vector<const Samples*> all;
    for (const Samples& samples : each)
        all.push_back(&samples);
    return bandAcross(all);
}

/// Prepends the curves of the runs that a run was resumed from; only for an axis of steps. `missing`
/// says what could not be read.
void prependEarlier(const launch::RunPaths& run, const std::vector<store::RankSummary>& ranks,
                    const CurveRequest& request, int maxPoints, const std::function<bool()>& cancelled,
                    RunCurve& curve) {
    const auto info = launch::recordedRunInfo(run);
    if (!info || info->resumedFrom.empty() || ranks.empty())
        return;
    std::int64_t first = -1;
    for (const auto& rank : ranks)
        if (rank.firstStep >= 0)
            first = first < 0 ? rank.firstStep : std::min(first, rank.firstStep);
    LineageReader reader(run, request.metric ? LineageReader::Detail::Curves : LineageReader::Detail::All);
    const RunChainPtr chain = reader.read(info->resumedFrom, first, cancelled);
    Samples before;
    if (chain && request.metric) {
        const auto points = reader.series(*request.metric, 0, kLastStep, maxPoints, cancelled);
        if (!points)
            curve.missing = QString::fromStdString(points.error().message());
        else
            before = acrossRanks(*points, store::info(*request.metric).scale,
                                 request.meanOverRanks
                                     ? std::nullopt
                                     : std::optional(static_cast<std::size_t>(std::max(0, ranks.front().rank))));
    } else if (chain) {
        for (const ChainPart& part : chain->parts)
            appendValidations(part.validations, before);
    }
    if (const QString problem = first >= 0 ? reader.problem() : QString(); !problem.isEmpty())
        curve.missing = problem;
    curve.samples.insert(curve.samples.begin(), before.begin(), before.end());
}

} // namespace

QString metricTitle(store::Metric metric) {
    return toQString(store::title(metric).text(currentLanguage()));
}

RunCurve readCurve(const std::filesystem::path& store, const CurveRequest& request, int maxPoints,
                   const std::function<bool()>& cancelled) {
    auto reader = store::RunReader::open(store);
    if (!reader)
        return failed(reader.error());
    const auto ranks = reader->ranks();
    if (!ranks)
        return failed(ranks.error());
    RunCurve curve;
    if (ranks->empty()) {
        curve.missing = CompareLabels::tr("no rank has reported anything yet");
        return curve;
    }
    const std::span<const store::RankSummary> wanted(ranks->data(), request.meanOverRanks ? ranks->size() : 1);
    if (request.metric) {
        auto all = readRanks(*reader, request, wanted, maxPoints, cancelled);
        if (!all)
            return failed(all.error());
        std::vector<const Samples*> each;
        for (const Samples& samples : *all)
            each.push_back(&samples);
        curve.samples = all->size() == 1 ? std::move(all->front()) : bandAcross(each);
    } else {
        const auto rows = reader->validations(-1, kMostValidations);
        if (!rows)
            return failed(rows.error());
        appendValidations(*rows, curve.samples);
    }
    if (request.axis == CurveAxis::Step)
        prependEarlier({store.parent_path()}, *ranks, request, maxPoints, cancelled, curve);
    if (curve.samples.empty() && curve.missing.isEmpty() && !cancelled())
        curve.missing = CompareLabels::tr("this was not recorded");
    SampleAxis seen;
    if (request.axis == CurveAxis::SampleCount) {
        std::vector<std::vector<store::SeriesPoint>> sizes;
        for (const auto& rank : *ranks) {
            if (cancelled())
                return {};
            auto points = reader->series(store::Metric::BatchSize, rank.rank, 0, kLastStep, maxPoints);
            if (!points)
                return failed(points.error());
            sizes.push_back(std::move(*points));
        }
        seen = SampleAxis(sizes);
        if (!curve.samples.empty() && seen.total() <= 0) {
            curve.samples.clear();
            curve.missing = CompareLabels::tr("no batch sizes were recorded, so its samples cannot be counted");
        }
    }
    setPositions(curve.samples, request.axis, &seen);
    return curve;
}

CompareReplyPtr readCurves(const QStringList& dirs, const CurveRequest& request,
                           const std::function<bool()>& cancelled) {
    auto reply = std::make_shared<CompareReply>();
    reply->request = request;
    for (const QString& dir : dirs) {
        if (cancelled())
            break;
        reply->curves.push_back(
            readCurve(launch::RunPaths{dir.toStdString()}.store(), request, kMostPoints, cancelled));
    }
    return reply;
}

namespace {

std::vector<double> placesOf(std::span<const Samples* const> runs) {
    std::vector<double> places;
    for (const Samples* run : runs)
        for (const Sample& sample : *run)
            places.push_back(sample.x);
    std::sort(places.begin(), places.end());
    places.erase(std::unique(places.begin(), places.end()), places.end());
    if (places.size() <= kMostGroupPoints)
        return places;
    std::vector<double> some;
    for (std::size_t i = 0; i < kMostGroupPoints; ++i)
        some.push_back(places[i * (places.size() - 1) / (kMostGroupPoints - 1)]);
    return some;
}

/// Reads a run's curve from left to right.
class RunAlong {
public:
    explicit RunAlong(const Samples& samples) : m_samples(samples) {}

    /// Returns the value at `x`, which must not decrease from call to call.
    std::optional<Sample> at(double x) {
        while (m_at + 1 < m_samples.size() && m_samples[m_at + 1].x <= x)
            ++m_at;
        if (m_samples.empty() || x < m_samples.front().x || x > m_samples.back().x)
            return std::nullopt;
        const Sample& left = m_samples[m_at];
        if (left.x == x || m_at + 1 == m_samples.size())
            return left;
        const Sample& right = m_samples[m_at + 1];
        if (left.isGap() || right.isGap())
            return std::nullopt;
        Sample between = left;
        between.mean += (right.mean - left.mean) * (x - left.x) / (right.x - left.x);
        between.notFinite = 0;
        return between;
    }

private:
    const Samples& m_samples;
    std::size_t m_at = 0;
};

void add(Sample& all, const Sample& one) {
    all.firstStep = all.count + all.notFinite == 0 ? one.firstStep : std::min(all.firstStep, one.firstStep);
    all.lastStep = std::max(all.lastStep, one.lastStep);
    if (one.isGap()) {
        all.notFinite += one.notFinite > 0;
        return;
    }
    all.min = all.count == 0 ? one.mean : std::min(all.min, one.mean);
    all.max = all.count == 0 ? one.mean : std::max(all.max, one.mean);
    ++all.count;
    all.mean += (one.mean - all.mean) / static_cast<double>(all.count);
}

} // namespace

Samples meanOverRuns(std::span<const Samples* const> runs) {
    std::vector<RunAlong> along;
    for (const Samples* run : runs)
        along.emplace_back(*run);
    Samples curve;
    for (const double x : placesOf(runs)) {
        Sample all;
        all.x = x;
        for (RunAlong& run : along)
            if (const auto one = run.at(x))
                add(all, *one);
        curve.push_back(all);
    }
    return curve;
}

} // namespace rankscope::ui
