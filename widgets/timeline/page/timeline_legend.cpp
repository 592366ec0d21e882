// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/timeline/page/timeline_legend.h"

#include "widgets/models/text/text_format.h"
#include "widgets/plots/plot/plot_signs.h"
#include "widgets/theme/theme.h"
#include "widgets/timeline/geometry/timeline_colours.h"

#include <QPainter>

#include <algorithm>

namespace rankscope::ui {

static SignLegend::LegendEntry filledEntry(const QString& name, const QColor& colour) {
    return {name, [colour](QPainter& painter, const QRect& sign) { painter.fillRect(sign, colour); }};
}

static SignLegend::LegendEntry hatchedEntry(const QString& name, const TimelineColours& colours) {
    return {name, [brush = hatchBrush(colours.waitingHatch, colours.waiting)](QPainter& painter, const QRect& sign) {
                painter.fillRect(sign, brush);
            }};
}

static void drawShade(QPainter& painter, const QRect& sign) {
    const QColor colour = Theme::instance().palette().incident;
    painter.fillRect(sign, withAlpha(colour, 0.12F));
    painter.fillRect(sign.left(), sign.top(), sign.width(), 2, colour);
}

static void drawArrow(QPainter& painter, const QRect& sign) {
    const QColor colour = Theme::instance().palette().text;
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(colour);
    painter.setBrush(colour);
    const QPointF tip(sign.center().x() + 0.5, sign.bottom());
    painter.drawLine(QPointF(tip.x(), sign.top()), tip);
    painter.drawPolygon(QPolygonF{tip, tip + QPointF(-3, -5), tip + QPointF(3, -5)});
}

void TimelineLegend::addLane(Contents& contents, const TimelineLane& lane, PlotRange window) {
    const auto inView = [&](const auto& part) {
        return static_cast<double>(part.endNs) >= window.lo && static_cast<double>(part.beginNs) <= window.hi;
    };
    const auto addShares = [&](const std::array<float, kPhaseCount>& shares) {
        for (std::size_t p = 0; p < kPhaseCount; ++p)
            contents.phases[p] |= shares[p] > 0;
    };
    contents.hasPhases |=
        !lane.phases.empty() || !lane.phaseColumns.empty() || std::ranges::any_of(lane.sums, &TimelineSum::knowsPhases);
    for (const auto& span : lane.phases)
        if (inView(span))
            contents.phases[std::min(static_cast<std::size_t>(span.phase), kPhaseCount - 1)] = true;
    for (const auto& column : lane.phaseColumns)
        if (inView(column))
            addShares(column.phaseNs);
    for (const auto& sum : lane.sums)
        if (inView(sum)) {
            addShares(sum.share);
            contents.steps |= !sum.knowsPhases();
            contents.waits |= sum.waitShare > 0.01F;
        }
    for (const auto& span : lane.collectives)
        if (inView(span)) {
            contents.unknown |= span.waitNs < 0;
            contents.waits |= span.waitNs > 0;
            contents.transfers |= span.waitNs >= 0 && span.waitEndNs() < span.endNs;
        }
    for (const auto& column : lane.collectiveColumns)
        if (inView(column)) {
            contents.waits |= column.waitNs > 0;
            contents.transfers |= column.restNs > 0;
        }
}

TimelineLegend::Contents TimelineLegend::contentsOf(const TimelineScene& scene) {
    Contents contents;
    const PlotRange window = scene.scale.window;
    contents.overview = window.width() >= kOverviewNs;
    if (const TimelineReply* reply = scene.best())
        for (const TimelineLane& lane : reply->lanes)
            addLane(contents, lane, window);
    contents.arrows = !scene.arrows().empty();
    contents.incidents = std::ranges::any_of(scene.incidents, [&](const TimelineIncident& incident) {
        return incident.toNs >= window.lo && incident.fromNs <= window.hi;
    });
    contents.flags = scene.flags.isIn(window);
    return contents;
}

void TimelineLegend::setScene(const TimelineScene& scene) {
    const Contents contents = contentsOf(scene);
    if (contents == m_shown)
        return;
    m_shown = contents;
    entriesChanged();
}

/// Names the three things that lanes show if much time is in view.
QList<TimelineLegend::LegendEntry> TimelineLegend::overviewEntries() const {
    const TimelineColours colours = TimelineColours::ofTheme(kOverviewNs);
    const auto has = [this](telemetry::Phase phase) { return m_shown.phases[static_cast<std::size_t>(phase)]; };
    bool works = m_shown.transfers || m_shown.steps;
    for (std::size_t p = 0; p < kPhaseCount; ++p)
        works |= m_shown.phases[p] && p != static_cast<std::size_t>(telemetry::Phase::DataWait) &&
                 p != static_cast<std::size_t>(telemetry::Phase::Barrier);
    QList<LegendEntry> entries;
    if (works)
        entries.append(filledEntry(tr("working"), colours.step));
    if (m_shown.waits || m_shown.unknown || has(telemetry::Phase::Barrier))
        entries.append(hatchedEntry(tr("waiting for other ranks"), colours));
    if (has(telemetry::Phase::DataWait))
        entries.append(filledEntry(tr("waiting for data"), colours.of(telemetry::Phase::DataWait)));
    return entries;
}

QList<TimelineLegend::LegendEntry> TimelineLegend::detailEntries() const {
    const TimelineColours colours = TimelineColours::ofTheme();
    QList<LegendEntry> entries;
    for (std::size_t p = 1; p < kPhaseCount; ++p)
        if (m_shown.phases[p]) {
            const QString name = phaseText(static_cast<telemetry::Phase>(p));
            const bool waits = p == static_cast<std::size_t>(telemetry::Phase::Barrier);
            entries.append(waits ? hatchedEntry(name, colours) : filledEntry(name, colours.phases[p]));
        }
    if (m_shown.waits)
        entries.append(hatchedEntry(tr("waiting in a collective"), colours));
    if (m_shown.transfers)
        entries.append(filledEntry(tr("collective, all ranks present"), colours.transfer));
    if (m_shown.unknown)
        entries.append(filledEntry(tr("collective that a rank has not reached"), colours.unknownWait));
    return entries;
}

QList<TimelineLegend::LegendEntry> TimelineLegend::entries() const {
    QList<LegendEntry> entries = m_shown.overview ? overviewEntries() : detailEntries();
    if (m_shown.arrows)
        entries.append(LegendEntry{tr("waiting for"), drawArrow});
    if (m_shown.incidents)
        entries.append(LegendEntry{tr("incident"), drawShade});
    if (m_shown.flags)
        entries.append(LegendEntry{plotSignText(PlotSign::Annotation), [](QPainter& painter, const QRect& sign) {
                                       drawPlotSign(painter, QRectF(sign), PlotSign::Annotation);
                                   }});
    return entries;
}

} // namespace rankscope::ui
