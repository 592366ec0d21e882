// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/timeline/view/span_text.h"

#include "widgets/models/text/text_format.h"
#include "widgets/timeline/view/timeline_scene.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>

namespace rankscope::ui {

namespace {

struct SpanLabels {
    Q_DECLARE_TR_FUNCTIONS(SpanLabels)
};

QString percent(double share) {
    return QStringLiteral("%1 %").arg(100 * share, 0, 'f', share < 0.0995 ? 1 : 0);
}

/// Returns "forward 61 %, backward 30 %": the largest share first.
template <std::size_t N> QString sharesText(const std::array<float, N>& weights, double whole) {
    std::vector<std::size_t> order;
    for (std::size_t p = 0; p < N; ++p)
        if (weights[p] > 0)
            order.push_back(p);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return weights[a] > weights[b]; });
    QStringList parts;
    for (const std::size_t p : order)
        parts << QStringLiteral("%1 %2").arg(phaseText(static_cast<telemetry::Phase>(p)),
                                             percent(weights[p] / std::max(whole, 1e-9)));
    return parts.join(QStringLiteral(", "));
}

QString stepsText(const TimelineSum& sum) {
    return sum.firstStep == sum.lastStep
               ? SpanLabels::tr("step %1").arg(countText(sum.firstStep))
               : SpanLabels::tr("steps %1 to %2").arg(countText(sum.firstStep), countText(sum.lastStep));
}

/// Returns a time with enough digits to distinguish a span's end from its begin: thousandths of a second, or millionths
/// for a short span.
QString momentOf(std::int64_t ns, std::int64_t lengthNs) {
    return momentText(static_cast<double>(ns), lengthNs < 1'000'000 ? 1e3 : 1e6);
}

SpanFacts timeFacts(const TimelinePick& pick, const SpanDetail* detail) {
    const TimelineSpan& span = pick.span;
    SpanFacts time{SpanLabels::tr("Time"), {}};
    if (pick.kind == TimelinePick::PickKind::Sum)
        time.add(SpanLabels::tr("Steps"), stepsText(pick.sum));
    else if (pick.kind != TimelinePick::PickKind::Step || span.step >= 0)
        time.add(SpanLabels::tr("Step"), span.step < 0 ? SpanLabels::tr("before the first") : countText(span.step));
    const bool column = pick.kind == TimelinePick::PickKind::Column;
    const std::int64_t begin = column ? pick.column.beginNs : span.beginNs,
                       end = column ? pick.column.endNs : span.endNs;
    const auto moment = [&](std::int64_t ns) {
        const QString text = momentOf(ns, end - begin);
        const bool ofStep = pick.kind == TimelinePick::PickKind::Span && detail && detail->step;
        const std::int64_t into = ofStep ? ns - detail->step->beginNs : 0;
        return !ofStep     ? text
               : into < 0  ? SpanLabels::tr("%1, %2 before the step").arg(text, spanDuration(-into))
               : into == 0 ? SpanLabels::tr("%1, with the step").arg(text)
                           : SpanLabels::tr("%1, %2 into the step").arg(text, spanDuration(into));
    };
    time.add(span.collective ? SpanLabels::tr("Arrived") : SpanLabels::tr("Begin"), moment(begin));
    time.add(span.collective ? SpanLabels::tr("Done") : SpanLabels::tr("End"), moment(end));
    time.add(SpanLabels::tr("Duration"), spanDuration(end - begin));
    return time;
}

SpanFacts waitFacts(const TimelinePick& pick, const SpanDetail* detail) {
    const TimelineSpan& span = pick.span;
    SpanFacts wait{SpanLabels::tr("Waiting"), {}};
    if (span.waitNs < 0)
        wait.add(SpanLabels::tr("Wait"), SpanLabels::tr("not known: not all ranks have arrived"));
    else if (span.holder == pick.rank)
        wait.add(SpanLabels::tr("Wait"), SpanLabels::tr("none: it arrived last"));
    else
        wait.add(SpanLabels::tr("Wait"),
                 SpanLabels::tr("%1 for %2").arg(spanDuration(span.waitNs), ranksText({span.holder})));
    if (detail && detail->cause)
        wait.add(SpanLabels::tr("Caused by"), causeText(span.holder, *detail->cause), QString::fromLatin1(kCauseLink));
    if (span.waitNs >= 0)
        wait.add(SpanLabels::tr("Transfer"), spanDuration(span.endNs - span.waitEndNs()));
    if (span.exposedNs >= 0)
        wait.add(SpanLabels::tr("Blocked its thread"), spanDuration(span.exposedNs));
    return wait;
}

SpanFacts collectiveFacts(const TimelinePick& pick) {
    const TimelineSpan& span = pick.span;
    SpanFacts collective{SpanLabels::tr("Collective"), {}};
    collective.add(SpanLabels::tr("Operation"), toQString(telemetry::opName(span.op)));
    collective.add(SpanLabels::tr("Tag"), pick.tag);
    collective.add(SpanLabels::tr("Elements"), countText(span.count));
    collective.add(SpanLabels::tr("Process group"),
                   SpanLabels::tr("%1, its collective %2")
                       .arg(QString::number(span.group), countText(static_cast<std::int64_t>(span.sequence))));
    collective.add(SpanLabels::tr("Entered in phase"), phaseText(span.phase));
    return collective;
}

SpanFacts columnFacts(const TimelinePick& pick) {
    const bool collective = pick.span.collective;
    SpanFacts spans{SpanLabels::tr("Short spans"), {}};
    spans.add(SpanLabels::tr("Spans"), countText(pick.column.count));
    if (collective)
        spans.add(SpanLabels::tr("Total wait"), spanDuration(static_cast<std::int64_t>(pick.column.waitNs)));
    else
        spans.add(SpanLabels::tr("Phases"),
                  sharesText(pick.column.phaseNs, static_cast<double>(pick.column.endNs - pick.column.beginNs)));
    spans.add(SpanLabels::tr("The longest"),
              QStringLiteral("%1, %2").arg(collective ? pick.tag : phaseText(pick.span.phase),
                                           spanDuration(pick.span.lengthNs())));
    return spans;
}

SpanFacts sumFacts(const TimelinePick& pick) {
    SpanFacts sums{SpanLabels::tr("Phases in total"), {}};
    const QString shares = sharesText(pick.sum.share, 1);
    sums.add(SpanLabels::tr("Phases"), shares.isEmpty() ? SpanLabels::tr("none recorded") : shares);
    sums.add(SpanLabels::tr("Blocked in collectives"), percent(pick.sum.waitShare));
    if (pick.sum.longest > 0)
        sums.add(SpanLabels::tr("Longest step"),
                 SpanLabels::tr("%1 x the mean").arg(static_cast<double>(pick.sum.longest), 0, 'f', 1));
    return sums;
}

/// Returns what the store has about the batch: its size and lengths, not its utterances.
SpanFacts batchFacts(const store::StepRow& step) {
    using store::Metric;
    SpanFacts batch{SpanLabels::tr("Batch of the step"), {}};
    const auto add = [&](const QString& name, Metric metric, const auto& text) {
        if (const auto value = step.value(metric); value && std::isfinite(*value) && *value >= 0) // negative: not known
            batch.add(name, text(*value));
    };
    const auto frames = [](double value) {
        return SpanLabels::tr("%1 frames").arg(countText(static_cast<std::int64_t>(std::llround(value))));
    };
    add(SpanLabels::tr("Utterances"), Metric::BatchSize,
        [](double value) { return countText(static_cast<std::int64_t>(std::llround(value))); });
    add(SpanLabels::tr("Shortest"), Metric::FramesMin, frames);
    add(SpanLabels::tr("Mean length"), Metric::FramesMean, frames);
    add(SpanLabels::tr("Longest"), Metric::FramesMax, frames);
    add(SpanLabels::tr("Padding"), Metric::PaddingShare, percent);
    return batch;
}

} // namespace

QString spanDuration(std::int64_t ns) {
    const auto with = [](double value, const char* unit) {
        const int digits = value < 10 ? 3 : value < 100 ? 2 : 1;
        return QStringLiteral("%1 %2").arg(QString::number(value, 'f', digits), QString::fromUtf8(unit));
    };
    const double value = static_cast<double>(ns);
    if (ns == 0)
        return QStringLiteral("0");
    if (ns < 1'000)
        return QStringLiteral("%1 ns").arg(ns);
    if (ns < 1'000'000)
        return with(value / 1e3, "µs");
    if (ns < 1'000'000'000)
        return with(value / 1e6, "ms");
    if (ns < 100'000'000'000)
        return with(value / 1e9, currentLanguage() == Language::Chinese ? "秒" : "s");
    return durationText(ns);
}

QString causeText(int rank, const TimelineSpan& span) {
    return span.step < 0
               ? SpanLabels::tr("%1, %2").arg(ranksText({rank}), phaseText(span.phase))
               : SpanLabels::tr("%1, %2, step %3").arg(ranksText({rank}), phaseText(span.phase), countText(span.step));
}

QString pickTitle(const TimelinePick& pick) {
    switch (pick.kind) {
    case TimelinePick::PickKind::Sum:
        return SpanLabels::tr("%1, %2").arg(ranksText({pick.rank}), stepsText(pick.sum));
    case TimelinePick::PickKind::Step:
        return pick.span.step < 0
                   ? SpanLabels::tr("%1, all of its steps").arg(ranksText({pick.rank}))
                   : SpanLabels::tr("%1, step %2").arg(ranksText({pick.rank}), countText(pick.span.step));
    case TimelinePick::PickKind::Column:
        return SpanLabels::tr("%1, %2 short spans").arg(ranksText({pick.rank}), countText(pick.column.count));
    case TimelinePick::PickKind::Span:
        break;
    }
    return SpanLabels::tr("%1, %2").arg(ranksText({pick.rank}),
                                        pick.span.collective ? pick.tag : phaseText(pick.span.phase));
}

QList<SpanFacts> pickFacts(const TimelinePick& pick, const SpanDetail* detail) {
    QList<SpanFacts> all{timeFacts(pick, detail)};
    switch (pick.kind) {
    case TimelinePick::PickKind::Sum:
        all << sumFacts(pick);
        break;
    case TimelinePick::PickKind::Column:
        all << columnFacts(pick);
        break;
    case TimelinePick::PickKind::Span:
        if (pick.span.collective)
            all << waitFacts(pick, detail) << collectiveFacts(pick);
        break;
    case TimelinePick::PickKind::Step:
        break;
    }
    if (detail && detail->step)
        if (SpanFacts batch = batchFacts(*detail->step); !batch.facts.isEmpty())
            all << batch;
    return all;
}

QString pickTip(const TimelinePick& pick) {
    QString tip = QStringLiteral("<b>%1</b><table>").arg(pickTitle(pick).toHtmlEscaped());
    for (const SpanFacts& group : pickFacts(pick, nullptr))
        for (const SpanFact& fact : group.facts)
            tip += QStringLiteral("<tr><td>%1&nbsp;&nbsp;</td><td>%2</td></tr>")
                       .arg(fact.name.toHtmlEscaped(), fact.value.toHtmlEscaped());
    return tip + QStringLiteral("</table>");
}

QStringList arrivalHeader() {
    return {SpanLabels::tr("Rank"),   SpanLabels::tr("Arrived"), SpanLabels::tr("After the first"),
            SpanLabels::tr("Waited"), SpanLabels::tr("Done"),    SpanLabels::tr("Entered in phase")};
}

QList<QStringList> arrivalRows(const CollectiveDetail& detail) {
    QList<QStringList> rows;
    if (detail.ranks.empty())
        return rows;
    const std::int64_t first = detail.ranks.front().arrivedNs;
    const std::int64_t length = detail.ranks.back().doneNs - first;
    for (const auto& row : detail.ranks) {
        const bool holder = row.holder == row.rank && row.waitNs >= 0;
        rows << QStringList{holder ? SpanLabels::tr("%1, the holder").arg(ranksText({row.rank}))
                                   : ranksText({row.rank}),
                            momentOf(row.arrivedNs, length),
                            QStringLiteral("+%1").arg(spanDuration(row.arrivedNs - first)),
                            row.waitNs < 0 ? SpanLabels::tr("not known") : spanDuration(row.waitNs),
                            momentOf(row.doneNs, length),
                            phaseText(row.phase)};
    }
    return rows;
}

QString pickAsText(const TimelinePick& pick, const SpanDetail* detail) {
    QStringList lines{pickTitle(pick)};
    for (const SpanFacts& group : pickFacts(pick, detail))
        for (const SpanFact& fact : group.facts)
            lines << fact.name + u'\t' + fact.value;
    if (detail && !detail->collective.ranks.empty()) {
        lines << QString() << arrivalHeader().join(u'\t');
        for (const QStringList& row : arrivalRows(detail->collective))
            lines << row.join(u'\t');
    }
    return lines.join(u'\n') + u'\n';
}

} // namespace rankscope::ui
