// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/runs_page/curves/compare_data.h"

#include "core/base/values/result.h"
#include "core/store/read/run_reader.h"
#include "widgets/runs_page/curves/lineage_curve.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <unordered_map>

namespace rankscope::ui {

namespace {

struct CompareLabels {
    Q_DECLARE_TR_FUNCTIONS(Compare)
};

constexpr std::int64_t kLastStep = std::numeric_limits<std::int64_t>::max() / 2;
constexpr int kMostValidations = 100'000;

/// Of texts from several pools two may be equal at different places.
bool sameText(const std::string* a, const std::string* b) {
    return a == b || (a && b && *a == *b);
}

Curve failed(const Error& error) {
    Curve curve;
    curve.missing = error.code == Errc::NotFound ? CompareLabels::tr("this run has no store")
                                                 : QString::fromStdString(error.message());
    return curve;
}

Samples validationSamples(const std::vector<store::ValidationRow>& rows, int rank) {
    Samples samples;
    for (const auto& row : rows) {
        if (row.rank != rank)
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
    return samples;
}

Result<std::vector<Samples>> readRanks(store::RunReader& reader, const CurveRequest& request,
                                       std::span<const store::RankSummary> ranks, int maxPoints,
                                       const std::function<bool()>& cancelled) {
    std::vector<Samples> all;
    for (const auto& rank : ranks) {
        if (cancelled())
            return std::vector<Samples>{};
        RS_TRY_ASSIGN(auto points, reader.series(*request.metric, rank.rank, 0, kLastStep, maxPoints));
        all.push_back(toSamples(points, CurveAxis::Step, store::info(*request.metric).scale));
    }
    return all;
}

} // namespace

std::vector<SettingLine> settingLines(const QList<RunRow>& runs, bool onlyDiffering) {
    std::unordered_map<std::string_view, SettingLine> lines; // runs of several pools: by text
    for (qsizetype r = 0; r < runs.size(); ++r) {
        if (!runs[r].settings)
            continue;
        for (const auto& entry : runs[r].settings->entries) {
            SettingLine& line = lines[*entry.key];
            line.key = line.key ? line.key : entry.key;
            line.values.resize(static_cast<std::size_t>(runs.size()), nullptr);
            line.values[static_cast<std::size_t>(r)] = entry.value;
        }
    }
    std::vector<SettingLine> result;
    for (auto& [key, line] : lines) {
        std::optional<const std::string*> first;
        for (qsizetype r = 0; r < runs.size(); ++r) {
            if (!runs[r].settings)
                continue;
            const std::string* value = line.values[static_cast<std::size_t>(r)];
            line.differs = line.differs || (first && !sameText(*first, value));
            first = first.value_or(value);
        }
        if (line.differs || !onlyDiffering)
            result.push_back(std::move(line));
    }
    std::sort(result.begin(), result.end(), [](const auto& a, const auto& b) { return *a.key < *b.key; });
    return result;
}

std::optional<double> ratioOf(double value, double baseline) {
    if (!std::isfinite(value) || !std::isfinite(baseline) || baseline == 0)
        return std::nullopt;
    return value / baseline;
}

int betterWhenMore(FieldId id) {
    switch (id) {
    case FieldId::Rate:
    case FieldId::SampleRate:
        return 1;
    case FieldId::Loss:
    case FieldId::BestLoss:
    case FieldId::Validation:
    case FieldId::BestValidation:
    case FieldId::Waited:
    case FieldId::Incidents:
    case FieldId::Memory:
        return -1;
    default:
        return 0;
    }
}

QString ratioText(std::optional<double> ratio) {
    if (!ratio)
        return {};
    const double size = std::abs(*ratio);
    return QStringLiteral("×") + QString::number(*ratio, size != 0 && (size < 0.01 || size >= 1000) ? 'g' : 'f',
                                                 size >= 100  ? 0
                                                 : size >= 10 ? 1
                                                              : 2);
}

const std::vector<FieldId>& comparedFigures() {
    static const std::vector<FieldId> fields{
        FieldId::State,      FieldId::Steps,          FieldId::Duration, FieldId::Loss,       FieldId::BestLoss,
        FieldId::Validation, FieldId::BestValidation, FieldId::Rate,     FieldId::SampleRate, FieldId::Waited,
        FieldId::Holder,     FieldId::Incidents,      FieldId::Memory,   FieldId::Ranks};
    return fields;
}

Curve readCurve(const std::filesystem::path& store, const CurveRequest& request, int maxPoints,
                const std::function<bool()>& cancelled) {
    auto reader = store::RunReader::open(store);
    if (!reader)
        return failed(reader.error());
    const auto ranks = reader->ranks();
    if (!ranks)
        return failed(ranks.error());
    Curve curve;
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
        curve.samples = validationSamples(*rows, wanted.front().rank);
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
            curve.missing = CompareLabels::tr("no batch sizes were recorded, so that its samples cannot be counted");
        }
    }
    place(curve.samples, request.axis, &seen);
    return curve;
}

} // namespace rankscope::ui
