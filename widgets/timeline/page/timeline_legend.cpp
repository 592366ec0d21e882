// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/timeline/page/timeline_legend.h"

#include "widgets/models/text/text_format.h"
#include "widgets/theme/theme.h"
#include "widgets/timeline/geometry/timeline_colours.h"

#include <QEvent>
#include <QPainter>

#include <algorithm>

namespace rankscope::ui {

static constexpr int kRow = 18, kSign = 10, kApart = 14, kMargin = 8;

TimelineLegend::TimelineLegend(QWidget* parent) : QWidget(parent) {
    setFont(secondaryFont());
    QSizePolicy policy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
    connect(&Theme::instance(), &Theme::changed, this, qOverload<>(&QWidget::update));
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
    return contents;
}

void TimelineLegend::setScene(const TimelineScene& scene) {
    const Contents contents = contentsOf(scene);
    if (contents == m_shown)
        return;
    m_shown = contents;
    updateGeometry();
    update();
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
        entries.append({tr("working"), colours.step, Sign::Fill});
    if (m_shown.waits || m_shown.unknown || has(telemetry::Phase::Barrier))
        entries.append({tr("waiting for other ranks"), colours.waitingHatch, Sign::Hatch});
    if (has(telemetry::Phase::DataWait))
        entries.append({tr("waiting for data"), colours.of(telemetry::Phase::DataWait), Sign::Fill});
    return entries;
}

QList<TimelineLegend::LegendEntry> TimelineLegend::detailEntries() const {
    const TimelineColours colours = TimelineColours::ofTheme();
    QList<LegendEntry> entries;
    for (std::size_t p = 1; p < kPhaseCount; ++p)
        if (m_shown.phases[p]) {
            const bool waits = p == static_cast<std::size_t>(telemetry::Phase::Barrier);
            entries.append({phaseText(static_cast<telemetry::Phase>(p)),
                            waits ? colours.waitingHatch : colours.phases[p], waits ? Sign::Hatch : Sign::Fill});
        }
    if (m_shown.waits)
        entries.append({tr("waiting in a collective"), colours.waitingHatch, Sign::Hatch});
    if (m_shown.transfers)
        entries.append({tr("collective, all ranks present"), colours.transfer, Sign::Fill});
    if (m_shown.unknown)
        entries.append({tr("collective that a rank has not reached"), colours.unknownWait, Sign::Fill});
    return entries;
}

QList<TimelineLegend::LegendEntry> TimelineLegend::entries() const {
    const auto& palette = Theme::instance().palette();
    QList<LegendEntry> entries = m_shown.overview ? overviewEntries() : detailEntries();
    if (m_shown.arrows)
        entries.append({tr("waiting for"), palette.text, Sign::Arrow});
    if (m_shown.incidents)
        entries.append({tr("incident"), palette.incident, Sign::Shade});
    return entries;
}

QStringList TimelineLegend::names() const {
    QStringList names;
    for (const LegendEntry& entry : entries())
        names << entry.name;
    return names;
}

int TimelineLegend::place(int width, QList<QRect>* boxes) const {
    int x = kMargin, y = 3;
    for (const LegendEntry& entry : entries()) {
        const int wide = kSign + 5 + fontMetrics().horizontalAdvance(entry.name);
        if (x > kMargin && x + wide > width - kMargin) {
            x = kMargin;
            y += kRow;
        }
        if (boxes)
            boxes->append(QRect(x, y, wide, kRow));
        x += wide + kApart;
    }
    return y + kRow + 3;
}

QSize TimelineLegend::sizeHint() const {
    return {400, heightForWidth(width() > 100 ? width() : 1000)};
}

int TimelineLegend::heightForWidth(int width) const {
    return place(width, nullptr);
}

/// Updates the rows, because another width may need more or fewer.
void TimelineLegend::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    if (height() != heightForWidth(width()))
        updateGeometry();
}

void TimelineLegend::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    QList<QRect> boxes;
    place(width(), &boxes);
    const auto all = entries();
    const auto& palette = Theme::instance().palette();
    const TimelineColours colours = TimelineColours::ofTheme();
    for (qsizetype i = 0; i < all.size(); ++i) {
        const QRect sign(boxes[i].left(), boxes[i].center().y() - kSign / 2 + 1, kSign, kSign);
        if (all[i].sign == Sign::Fill) {
            painter.fillRect(sign, all[i].colour);
        } else if (all[i].sign == Sign::Hatch) {
            painter.fillRect(sign, hatchBrush(all[i].colour, colours.waiting));
        } else if (all[i].sign == Sign::Shade) {
            painter.fillRect(sign, withAlpha(all[i].colour, 0.12F));
            painter.fillRect(sign.left(), sign.top(), sign.width(), 2, all[i].colour);
        } else {
            painter.setRenderHint(QPainter::Antialiasing);
            painter.setPen(all[i].colour);
            painter.setBrush(all[i].colour);
            const QPointF tip(sign.center().x() + 0.5, sign.bottom());
            painter.drawLine(QPointF(tip.x(), sign.top()), tip);
            painter.drawPolygon(QPolygonF{tip, tip + QPointF(-3, -5), tip + QPointF(3, -5)});
            painter.setRenderHint(QPainter::Antialiasing, false);
            painter.setBrush(Qt::NoBrush);
        }
        painter.setPen(palette.secondary);
        painter.drawText(boxes[i].adjusted(kSign + 5, 0, 2, 0), Qt::AlignVCenter | Qt::AlignLeft, all[i].name);
    }
}

void TimelineLegend::changeEvent(QEvent* event) {
    if (event->type() == QEvent::LanguageChange || event->type() == QEvent::FontChange) {
        updateGeometry();
        update();
    }
    QWidget::changeEvent(event);
}

} // namespace rankscope::ui
