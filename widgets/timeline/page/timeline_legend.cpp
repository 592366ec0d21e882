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

void TimelineLegend::setReply(const TimelineReply* reply) {
    std::array<bool, kPhaseCount> phases{};
    bool collectives = false, unknown = false;
    const auto at = [](telemetry::Phase phase) { return std::min(static_cast<std::size_t>(phase), kPhaseCount - 1); };
    if (reply)
        for (const TimelineLane& lane : reply->lanes) {
            for (const auto& span : lane.phases)
                phases[at(span.phase)] = true;
            for (const auto& column : lane.phaseColumns)
                for (std::size_t p = 0; p < kPhaseCount; ++p)
                    phases[p] |= column.phaseNs[p] > 0;
            for (const auto& sum : lane.sums)
                for (std::size_t p = 0; p < kPhaseCount; ++p)
                    phases[p] |= sum.share[p] > 0;
            collectives |= !lane.collectives.empty() || !lane.collectiveColumns.empty() || !lane.sums.empty();
            for (const auto& span : lane.collectives)
                unknown |= span.waitNs < 0;
        }
    m_anyPhases = reply && std::any_of(reply->lanes.begin(), reply->lanes.end(), [](const TimelineLane& lane) {
                      return !lane.phases.empty() || !lane.phaseColumns.empty();
                  });
    m_anyPhases |= std::find(phases.begin(), phases.end(), true) != phases.end();
    if (phases == m_phases && collectives == m_collectives && unknown == m_unknown)
        return;
    m_phases = phases;
    m_collectives = collectives;
    m_unknown = unknown;
    updateGeometry();
    update();
}

QList<TimelineLegend::LegendEntry> TimelineLegend::entries() const {
    const TimelineColours colours = TimelineColours::ofTheme();
    QList<LegendEntry> entries;
    for (std::size_t p = 1; p < kPhaseCount; ++p)
        if (m_phases[p])
            entries.append({phaseText(static_cast<telemetry::Phase>(p)), colours.phases[p], Sign::Fill});
    if (m_collectives) {
        entries.append({tr("waiting in a collective"), colours.waitingHatch, Sign::Hatch});
        entries.append({tr("collective, all ranks present"), colours.transfer, Sign::Fill});
    }
    if (m_unknown)
        entries.append({tr("collective that a rank has not reached"), colours.unknownWait, Sign::Fill});
    if (m_collectives)
        entries.append({tr("waiting for"), Theme::instance().palette().text, Sign::Arrow});
    return entries;
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
