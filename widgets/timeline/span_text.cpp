// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/timeline/span_text.h"

#include "widgets/models/words.h"
#include "widgets/timeline/timeline_view.h"

#include <QCoreApplication>

#include <algorithm>

namespace rankscope::ui {

namespace {

struct SpanWords {
    Q_DECLARE_TR_FUNCTIONS(SpanWords)
};

QString percent(double share) {
    return QStringLiteral("%1 %").arg(100 * share, 0, 'f', share < 0.0995 ? 1 : 0);
}

/// "forward 61 %, backward 30 %": what there is most of first.
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
               ? SpanWords::tr("step %1").arg(countText(sum.firstStep))
               : SpanWords::tr("steps %1 to %2").arg(countText(sum.firstStep), countText(sum.lastStep));
}

QString momentOf(std::int64_t ns) {
    return momentText(static_cast<double>(ns), 1);
}

QList<QPair<QString, QString>> collectiveFacts(const TimelinePick& pick) {
    const TimelineSpan& span = pick.span;
    QList<QPair<QString, QString>> facts{
        {SpanWords::tr("Operation"), toQString(telemetry::opName(span.op))},
        {SpanWords::tr("Tag"), pick.tag},
        {SpanWords::tr("Group, sequence"), QStringLiteral("%1, %2").arg(span.group).arg(span.sequence)},
        {SpanWords::tr("Elements"), countText(span.count)},
        {SpanWords::tr("Entered in phase"), phaseText(span.phase)},
    };
    if (span.waitNs < 0)
        facts << QPair(SpanWords::tr("Wait"), SpanWords::tr("not known: not all ranks have arrived"));
    else if (span.holder == pick.rank)
        facts << QPair(SpanWords::tr("Wait"), SpanWords::tr("none: it arrived last"));
    else
        facts << QPair(SpanWords::tr("Wait"),
                       SpanWords::tr("%1 for %2").arg(exactDuration(span.waitNs), ranksText({span.holder})));
    if (span.waitNs >= 0)
        facts << QPair(SpanWords::tr("Transfer"), exactDuration(span.endNs - span.waitEndNs()));
    if (span.exposedNs >= 0)
        facts << QPair(SpanWords::tr("Blocked its thread"), exactDuration(span.exposedNs));
    return facts;
}

} // namespace

QString exactDuration(std::int64_t ns) {
    const auto with = [](double value, int digits, const char* unit) {
        return QStringLiteral("%1 %2").arg(QString::number(value, 'f', digits), QString::fromUtf8(unit));
    };
    const double value = static_cast<double>(ns);
    if (ns < 1'000)
        return with(value, 0, "ns");
    if (ns < 1'000'000)
        return with(value / 1e3, 3, "µs");
    if (ns < 1'000'000'000)
        return with(value / 1e6, 3, "ms");
    return ns < 100'000'000'000 ? with(value / 1e9, 6, "s") : durationText(ns);
}

QString pickTitle(const TimelinePick& pick) {
    switch (pick.kind) {
    case TimelinePick::Kind::Sum:
        return SpanWords::tr("%1, %2").arg(ranksText({pick.rank}), stepsText(pick.sum));
    case TimelinePick::Kind::Column:
        return SpanWords::tr("%1, %2 short spans").arg(ranksText({pick.rank}), countText(pick.column.count));
    case TimelinePick::Kind::Span:
        break;
    }
    return SpanWords::tr("%1, %2").arg(ranksText({pick.rank}),
                                       pick.span.collective ? pick.tag : phaseText(pick.span.phase));
}

QList<QPair<QString, QString>> pickFacts(const TimelinePick& pick) {
    const TimelineSpan& span = pick.span;
    QList<QPair<QString, QString>> facts{{SpanWords::tr("Rank"), QString::number(pick.rank)}};
    if (pick.kind == TimelinePick::Kind::Sum) {
        facts << QPair(SpanWords::tr("Steps"), stepsText(pick.sum));
    } else {
        facts << QPair(SpanWords::tr("Step"), span.step < 0 ? SpanWords::tr("before the first") : countText(span.step));
    }
    const bool column = pick.kind == TimelinePick::Kind::Column;
    const std::int64_t begin = column ? pick.column.beginNs : span.beginNs,
                       end = column ? pick.column.endNs : span.endNs;
    facts << QPair(span.collective ? SpanWords::tr("Arrived") : SpanWords::tr("Begin"), momentOf(begin));
    facts << QPair(span.collective ? SpanWords::tr("Done") : SpanWords::tr("End"), momentOf(end));
    facts << QPair(SpanWords::tr("Lasted"), exactDuration(end - begin));
    if (pick.kind == TimelinePick::Kind::Sum) {
        const QString shares = sharesText(pick.sum.share, 1);
        facts << QPair(SpanWords::tr("Phases, summed"), shares.isEmpty() ? SpanWords::tr("none are recorded") : shares);
        facts << QPair(SpanWords::tr("Blocked in collectives"), percent(pick.sum.waitShare));
        if (pick.sum.longest > 0)
            facts << QPair(SpanWords::tr("Longest step"),
                           SpanWords::tr("%1 x the mean").arg(static_cast<double>(pick.sum.longest), 0, 'f', 1));
    } else if (column) {
        facts << QPair(SpanWords::tr("Spans"), countText(pick.column.count));
        const std::array<float, 2> parts{pick.column.waitNs, pick.column.restNs};
        if (span.collective)
            facts << QPair(SpanWords::tr("Waited in all"), exactDuration(static_cast<std::int64_t>(parts[0])));
        else
            facts << QPair(SpanWords::tr("Phases"), sharesText(pick.column.phaseNs, static_cast<double>(end - begin)));
        facts << QPair(SpanWords::tr("The longest"),
                       QStringLiteral("%1, %2").arg(span.collective ? pick.tag : phaseText(span.phase),
                                                    exactDuration(span.lengthNs())));
    } else if (span.collective) {
        facts += collectiveFacts(pick);
    }
    return facts;
}

QString pickTip(const TimelinePick& pick) {
    QString tip = QStringLiteral("<b>%1</b><table>").arg(pickTitle(pick).toHtmlEscaped());
    for (const auto& [name, value] : pickFacts(pick))
        tip += QStringLiteral("<tr><td>%1&nbsp;&nbsp;</td><td>%2</td></tr>")
                   .arg(name.toHtmlEscaped(), value.toHtmlEscaped());
    return tip + QStringLiteral("</table>");
}

QStringList arrivalHeader() {
    return {SpanWords::tr("Rank"),   SpanWords::tr("Arrived"), SpanWords::tr("After the first"),
            SpanWords::tr("Waited"), SpanWords::tr("Done"),    SpanWords::tr("Entered in phase")};
}

QList<QStringList> arrivalRows(const CollectiveDetail& detail) {
    QList<QStringList> rows;
    if (detail.ranks.empty())
        return rows;
    const std::int64_t first = detail.ranks.front().arrivedNs;
    for (const auto& row : detail.ranks) {
        const bool holder = row.holder == row.rank && row.waitNs >= 0;
        rows << QStringList{holder ? SpanWords::tr("%1, the holder").arg(ranksText({row.rank})) : ranksText({row.rank}),
                            momentOf(row.arrivedNs),
                            QStringLiteral("+%1").arg(exactDuration(row.arrivedNs - first)),
                            row.waitNs < 0 ? SpanWords::tr("not known") : exactDuration(row.waitNs),
                            momentOf(row.doneNs),
                            phaseText(row.phase)};
    }
    return rows;
}

QString pickAsText(const TimelinePick& pick, const CollectiveDetail* detail) {
    QStringList lines{pickTitle(pick)};
    for (const auto& [name, value] : pickFacts(pick))
        lines << name + u'\t' + value;
    if (detail && !detail->ranks.empty()) {
        lines << QString() << arrivalHeader().join(u'\t');
        for (const QStringList& row : arrivalRows(*detail))
            lines << row.join(u'\t');
    }
    return lines.join(u'\n') + u'\n';
}

} // namespace rankscope::ui
