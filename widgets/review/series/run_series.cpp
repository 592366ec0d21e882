// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/review/series/run_series.h"

#include "core/diagnosis/evidence/incident_sentence.h"
#include "widgets/models/run/plot_extras_loader.h"
#include "widgets/models/text/text_format.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>
#include <string_view>

namespace rankscope::ui {

namespace {

struct Earlier {
    Q_DECLARE_TR_FUNCTIONS(EarlierRuns)
};

} // namespace

std::vector<Samples> samplesOfChain(const SeriesReply& reply, std::size_t metric) {
    const double scale = store::info(reply.request.metrics[metric]).scale;
    const auto shaped = [&](const std::vector<store::SeriesPoint>& points) {
        return samplesFrom(points, reply.request.axis, scale, reply.samples.get());
    };
    std::vector<Samples> ranks;
    if (metric < reply.earlier.size())
        for (const auto& points : reply.earlier[metric])
            ranks.push_back(shaped(points));
    const auto& own = reply.points[metric];
    ranks.resize(std::max(ranks.size(), own.size()));
    for (std::size_t r = 0; r < own.size(); ++r) {
        Samples samples = shaped(own[r]);
        if (ranks[r].empty())
            ranks[r] = std::move(samples);
        else
            ranks[r].insert(ranks[r].end(), samples.begin(), samples.end());
    }
    return ranks;
}

std::vector<ResumeMark> jointsOf(const RunLineage* chain, const RunView& view) {
    std::vector<ResumeMark> joints;
    if (!chain)
        return joints;
    for (const ChainPart& part : chain->parts) {
        const QString name = shortRunId(part.id);
        ResumeMark joint;
        joint.x = static_cast<double>(part.lastStep) + 0.5;
        joint.label = Earlier::tr("resumed from %1").arg(name);
        joint.runBefore = Earlier::tr("run %1").arg(name);
        const QString next = part.nextId.isEmpty() ? toQString(view.info.id) : part.nextId;
        joint.text = Earlier::tr("Run %1 was resumed from run %2 after its step %3.")
                         .arg(next, part.id, countText(part.lastStep));
        if (part.newestStep > part.lastStep)
            joint.text += QLatin1Char('\n') + Earlier::tr("What %1 did after that step was discarded: %2.")
                                                  .arg(name, stepRangeText(part.lastStep + 1, part.newestStep));
        for (const QString& between : part.skipped)
            joint.text += QLatin1Char('\n') + Earlier::tr("Run %1, in between, contributed no steps.").arg(between);
        joints.push_back(std::move(joint));
    }
    return joints;
}

QList<IncidentSpan> earlierSpans(const RunLineage* chain) {
    QList<IncidentSpan> spans;
    if (!chain)
        return spans;
    for (const ChainPart& part : chain->parts)
        for (const ChainIncident& in : part.incidents)
            spans.append({in.id, static_cast<double>(in.steps.first) - 0.5, static_cast<double>(in.steps.last) + 0.5,
                          false, 0, in.found.cause == diagnosis::Cause::Paused, in.found.holders});
    return spans;
}

std::vector<PlotMark> earlierMarks(const RunLineage* chain) {
    std::vector<PlotMark> marks;
    if (!chain)
        return marks;
    const auto add = [&marks](PlotMark::PlotMarkKind kind, std::int64_t first, std::int64_t last, const QString& text) {
        marks.push_back({kind, 0, static_cast<double>(first), static_cast<double>(std::max(first, last)), text});
    };
    for (const ChainPart& part : chain->parts) {
        const QString run = Earlier::tr("run %1").arg(shortRunId(part.id));
        for (const auto& c : part.checkpoints)
            add(PlotMark::PlotMarkKind::Checkpoint, c.step, c.step,
                Earlier::tr("Checkpoint after step %1, %2", "2: a run").arg(countText(c.step), run));
        for (const auto& v : part.validations)
            add(PlotMark::PlotMarkKind::Validation, v.step, v.step,
                Earlier::tr("Validation after step %1: loss %2, %3", "3: a run")
                    .arg(countText(v.step), v.known ? QString::number(v.loss, 'f', 4) : QStringLiteral("–"), run));
        for (const auto& a : part.annotations)
            add(PlotMark::PlotMarkKind::Annotation, a.firstStep, a.lastStep,
                annotationTip(a) + QStringLiteral(", ") + run);
    }
    return marks;
}

/// Returns the validations of the chain, followed by the run's own.
static std::vector<store::ValidationRow> validationsOfChain(const RunLineage* chain, const RunView& view) {
    std::vector<store::ValidationRow> all;
    if (chain)
        for (const ChainPart& part : chain->parts)
            all.insert(all.end(), part.validations.begin(), part.validations.end());
    all.insert(all.end(), view.validations.begin(), view.validations.end());
    return all;
}

Samples validationCurve(const RunLineage* chain, const RunView& view, CurveAxis axis, const SampleAxis* samplesSeen) {
    const auto validations = validationsOfChain(chain, view);
    Samples samples;
    samples.reserve(validations.size());
    for (const auto& v : validations) {
        if (!v.known)
            continue;
        Sample s;
        s.min = s.mean = s.max = v.loss;
        s.firstStep = s.lastStep = v.step;
        s.timeNs = v.endNs;
        (std::isfinite(v.loss) ? s.count : s.notFinite) = 1;
        samples.push_back(s);
    }
    setPositions(samples, axis, samplesSeen);
    std::stable_sort(samples.begin(), samples.end(), [](const Sample& a, const Sample& b) { return a.x < b.x; });
    return samples;
}

QString earlierSentence(const RunLineage* chain, qint64 id) {
    const ChainIncident* in = chain ? chain->incident(id) : nullptr;
    if (!in)
        return {};
    return Earlier::tr("Run %1: %2", "2: what happened in it")
        .arg(shortRunId(chain->partOfIncident(id)->id),
             toQString(diagnosis::sentence(in->found, in->knownNs).text(currentLanguage())));
}

using store::Metric;

namespace {

constexpr std::int64_t kShownPhaseNs = 1'000'000'000; ///< shorter phases will soon be in the curve

Metric waitMetric(std::string_view tag) {
    const std::string_view family = tag.substr(0, tag.find(':'));
    return family == "sync_max_audio_length" ? Metric::WaitLengthSync
           : family == "gradient"            ? Metric::WaitGradient
           : family == "sync_batchnorm"      ? Metric::WaitSyncBatchNorm
           : family == "barrier"             ? Metric::WaitBarrier
           : family == "metrics"             ? Metric::WaitMetrics
                                             : Metric::WaitOther;
}

double seconds(std::int64_t ns) {
    return static_cast<double>(std::max<std::int64_t>(0, ns)) * 1e-9;
}

} // namespace

std::vector<OngoingValue> openValues(Metric metric, const RunView& view,
                                     const std::function<double(std::int64_t step)>& placeOf) {
    std::vector<OngoingValue> values;
    if (!launch::isLive(view.info.state))
        return values; // the plots of an ended run show what was recorded
    if (metric >= Metric::WaitTotal && metric <= Metric::ExposedWait) {
        for (const auto& wait : view.openWaits)
            if (metric == Metric::WaitTotal || metric == Metric::ExposedWait ||
                metric == waitMetric(wait.collective.tag))
                values.push_back({wait.rank, placeOf(wait.step), seconds(view.nowNs - wait.sinceNs)});
        return values;
    }
    for (const auto& tile : view.ranks) {
        const bool trains = tile.step >= 0 && tile.phaseSinceNs > 0 && store::phaseMetric(tile.phase) == metric;
        if (trains && view.nowNs - tile.phaseSinceNs >= kShownPhaseNs)
            values.push_back({tile.rank, placeOf(tile.step), seconds(view.nowNs - tile.phaseSinceNs)});
    }
    return values;
}

} // namespace rankscope::ui
