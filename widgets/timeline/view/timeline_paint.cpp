// SPDX-License-Identifier: GPL-3.0-or-later
// How the lanes are painted: their spans into an image, everything else over it.
#include "widgets/controls/rank_state_mark.h"
#include "widgets/models/text/text_format.h"
#include "widgets/theme/fonts.h"
#include "widgets/theme/palette.h"
#include "widgets/theme/theme.h"
#include "widgets/timeline/geometry/step_ticks.h"
#include "widgets/timeline/view/timeline_view.h"

#include <QPainter>
#include <QPainterPath>
#include <QScrollBar>

#include <algorithm>
#include <cmath>

namespace rankscope::ui {

namespace {

constexpr int kTextPad = 4;
constexpr int kTwoLines = 34;    ///< height from which on two lines of text fit
constexpr int kMostTexts = 3000; ///< remembered

LaneLayout times(const LaneLayout& layout, double ratio) {
    const auto px = [ratio](int length) { return static_cast<int>(std::lround(length * ratio)); };
    return {px(layout.top), px(layout.phases), px(layout.gap), px(layout.collectives), px(layout.bottom)};
}

} // namespace

QColor incidentTint(int holder) {
    QColor colour = holder >= 0 ? Theme::instance().rankPen(holder).color() : Theme::instance().palette().holder;
    colour.setAlphaF(0.12F);
    return colour;
}

void TimelineView::rasterise() {
    const QRect lanes = lanesRect();
    const double ratio = devicePixelRatioF();
    const QSize size(static_cast<int>(std::lround(lanes.width() * ratio)),
                     static_cast<int>(std::lround(lanes.height() * ratio)));
    if (m_image.size() != size)
        m_image = QImage(size, QImage::Format_RGB32);
    m_image.setDevicePixelRatio(ratio);
    m_image.fill(Theme::instance().palette().panel);
    const LaneLayout layout = times(m_layout, ratio);
    LaneRaster raster(m_image, m_colours, {m_scale.window, static_cast<double>(size.width())});
    const bool fresh = serves(m_reply.get()), whole = !fresh && serves(m_overview.get());
    for (int rank = firstVisibleRank(); rank <= lastVisibleRank() && rank < rankCount(); ++rank) {
        const int top = static_cast<int>(std::lround((laneTop(rank) - lanesTop()) * ratio));
        raster.clear(layout, top);
        // what is not read yet is shown as coarse as it is known
        for (const auto& [reply, wanted] : {std::pair(m_overview.get(), !fresh), std::pair(m_reply.get(), !whole)})
            if (const auto* lane = reply && wanted ? reply->lane(rank) : nullptr)
                raster.paint(*lane, layout, top,
                             {static_cast<double>(reply->request.fromNs), static_cast<double>(reply->request.toNs)});
    }
    m_dirty = false;
}

void TimelineView::paintEvent(QPaintEvent*) {
    if (m_dirty)
        rasterise();
    QPainter painter(viewport());
    const auto& palette = Theme::instance().palette();
    painter.drawImage(lanesRect().topLeft(), m_image);
    painter.setFont(secondaryFont());
    if (const QRect track = trackRect(); track.height() > 0)
        m_track.paint(painter, track, kLabelWidth, m_scale, m_colours);
    const QRect below(kLabelWidth, kAxisHeight, viewport()->width() - kLabelWidth, viewport()->height() - kAxisHeight);
    painter.setClipRect(below);
    paintIncidents(painter);
    painter.setClipRect(lanesRect());
    paintSteps(painter);
    paintTexts(painter);
    paintNow(painter);
    paintArrows(painter);
    paintMarks(painter);
    painter.setClipRect(below);
    paintBrush(painter);
    painter.setClipping(false);
    painter.fillRect(0, 0, viewport()->width(), kAxisHeight, palette.window);
    painter.fillRect(0, lanesTop(), kLabelWidth, viewport()->height(), palette.window);
    paintAxis(painter);
    paintLabels(painter);
    if (hasFocus()) {
        painter.setPen(QPen(palette.accent, 1));
        painter.drawRect(viewport()->rect().adjusted(0, 0, -1, -1));
    }
}

void TimelineView::paintIncidents(QPainter& painter) const {
    for (const auto& incident : m_incidents) {
        const double left = m_scale.x(incident.fromNs), right = std::max(m_scale.x(incident.toNs), left + 3);
        if (right < 0 || left > m_scale.width)
            continue;
        const double from = std::max(left, 0.0), to = std::min(right, m_scale.width);
        painter.fillRect(QRectF(kLabelWidth + from, kAxisHeight, to - from, viewport()->height() - kAxisHeight),
                         incidentTint(incident.holder));
    }
}

/// Where a step of a rank begins, when there is room to tell steps apart.
void TimelineView::paintSteps(QPainter& painter) const {
    QColor colour = Theme::instance().palette().text;
    colour.setAlphaF(0.45F);
    painter.setPen(QPen(colour, 1, Qt::DotLine));
    for (int rank = firstVisibleRank(); rank <= lastVisibleRank(); ++rank) {
        const auto* lane = laneOf(rank);
        if (!lane || lane->steps.empty())
            continue;
        const auto& steps = lane->steps;
        const double mean = static_cast<double>(steps.back().endNs - steps.front().beginNs) /
                            static_cast<double>(steps.size()) / m_scale.nsPerPixel();
        if (mean < 24)
            continue;
        const int top = laneTop(rank);
        for (const auto& step : steps) {
            const double x = m_scale.x(static_cast<double>(step.beginNs));
            if (x >= 0 && x <= m_scale.width)
                painter.drawLine(QPointF(kLabelWidth + std::floor(x) + 0.5, top + 1),
                                 QPointF(kLabelWidth + std::floor(x) + 0.5, top + m_layout.height() - 2));
        }
    }
}

bool TimelineView::drawInside(QPainter& painter, const QString& text, const QRect& box, const QColor& colour) {
    auto at = m_texts.find(text);
    if (at == m_texts.end()) {
        if (m_texts.size() > kMostTexts)
            m_texts.clear();
        Text made;
        made.text = QStaticText(text);
        made.text.setTextFormat(Qt::PlainText);
        made.text.prepare({}, painter.font());
        made.width = made.text.size().width();
        at = m_texts.insert(text, made);
    }
    if (at->width > box.width() - 2 * kTextPad)
        return false;
    painter.setPen(colour);
    painter.drawStaticText(QPointF(box.left() + kTextPad, box.center().y() + 1 - at->text.size().height() / 2),
                           at->text);
    return true;
}

void TimelineView::drawBoth(QPainter& painter, const QString& name, const QString& more, const QRect& box,
                            const QColor& colour) {
    if (more.isEmpty() || box.height() < kTwoLines) {
        (!more.isEmpty() && drawInside(painter, name + u' ' + more, box, colour)) ||
            drawInside(painter, name, box, colour);
        return;
    }
    const int line = box.height() < 44 ? box.height() / 2 : 20;
    const QRect upper(box.left(), box.center().y() - line, box.width(), line);
    if (drawInside(painter, name, upper, colour))
        drawInside(painter, more, upper.translated(0, line), colour);
}

void TimelineView::paintTexts(QPainter& painter) {
    const auto* reply = best();
    if (!reply || m_layout.phases < 14)
        return;
    const auto& palette = Theme::instance().palette();
    const double leastNs = 28 * m_scale.nsPerPixel();
    // the part of a span that is in view; empty when it is too narrow for any word
    const auto boxOf = [&](const TimelineSpan& span, int top, int height) {
        if (static_cast<double>(span.lengthNs()) < leastNs)
            return QRect();
        const double left = std::max(m_scale.x(static_cast<double>(span.beginNs)), 0.0);
        const double right = std::min(m_scale.x(static_cast<double>(span.endNs)), m_scale.width);
        return right - left < 28
                   ? QRect()
                   : QRect(kLabelWidth + static_cast<int>(left), top, static_cast<int>(right - left), height);
    };
    for (int rank = firstVisibleRank(); rank <= lastVisibleRank(); ++rank) {
        const auto* lane = reply->lane(rank);
        if (!lane)
            continue;
        const int top = laneTop(rank);
        for (const TimelineSpan& span : lane->phases)
            if (const QRect box = boxOf(span, top + m_layout.top, m_layout.phases); !box.isEmpty()) {
                const QColor text = textOn(m_colours.of(span.phase));
                drawBoth(painter, phaseText(span.phase), durationText(span.lengthNs()), box, text);
            }
        if (m_layout.rowHeight(0, lane->rows) < 13)
            continue; // too low for words
        for (const TimelineSpan& span : lane->collectives) {
            const int row = std::min<int>(span.row, lane->rows - 1);
            const QRect box = boxOf(span, top + m_layout.rowTop(row, lane->rows), m_layout.rowHeight(row, lane->rows));
            if (box.isEmpty())
                continue;
            // words begin at the left of what is in view: on the hatch, or after it
            const double waitPx = m_scale.x(static_cast<double>(span.waitEndNs())) - (box.left() - kLabelWidth);
            const bool waits = waitPx * 2 > box.width();
            const QColor text = waits ? palette.text : textOn(m_colours.transfer);
            const QString name = reply->tag(span);
            const QString more = waits && span.holder != rank && span.holder >= 0
                                     ? tr("%1 for %2").arg(durationText(span.waitNs), ranksText({span.holder}))
                                     : QString();
            if (!more.isEmpty())
                drawBoth(painter, name.section(u':', 0, 0), more, box, text);
            else if (!drawInside(painter, name, box, text))
                drawInside(painter, name.section(u':', 0, 0), box, text);
        }
    }
}

/// End of the last span or step that is recorded of a rank.
double TimelineView::lastRecordedNs(int rank) const {
    const auto* lane = laneOf(rank);
    std::int64_t last = 0;
    if (!lane)
        return 0;
    for (const auto* spans : {&lane->phases, &lane->collectives})
        if (!spans->empty())
            last = std::max(last, spans->back().endNs);
    if (!lane->steps.empty())
        last = std::max(last, lane->steps.back().endNs);
    return static_cast<double>(last);
}

/// Dashed: it goes on.
void TimelineView::paintOpen(QPainter& painter, const QRectF& box, const QColor& colour, const QString& words) const {
    const auto& palette = Theme::instance().palette();
    painter.setPen(QPen(colour, 1, Qt::DashLine));
    painter.setBrush(blend(palette.panel, colour, 0.12));
    painter.drawRect(box);
    painter.setBrush(Qt::NoBrush);
    const int width = static_cast<int>(box.width()) - 2 * kTextPad;
    if (box.height() < 12 || width < 16)
        return;
    painter.setPen(palette.text);
    painter.drawText(box.adjusted(kTextPad, 0, -kTextPad, 0), Qt::AlignVCenter | Qt::AlignLeft,
                     painter.fontMetrics().elidedText(words, Qt::ElideRight, width));
}

/// A live run: what a rank does now, which is no span yet, and below it the collective that it waits in.
void TimelineView::paintNow(QPainter& painter) const {
    if (!m_live)
        return;
    const double now = m_scale.x(m_limits.hi);
    for (int rank = firstVisibleRank(); rank <= lastVisibleRank() && rank < rankCount(); ++rank) {
        const RankTile& tile = m_ranks[static_cast<std::size_t>(rank)];
        // a phase that has lasted for long began after the last one that is recorded
        const double begin = std::max(lastRecordedNs(rank), static_cast<double>(tile.phaseSinceNs - m_startNs));
        const double left = std::max(m_scale.x(begin), 0.0), right = std::min(now, m_scale.width);
        if (right - left >= 3)
            paintOpen(
                painter,
                {kLabelWidth + left + 0.5, laneTop(rank) + m_layout.top + 0.5, right - left - 1, m_layout.phases - 1.0},
                stateColor(tile.status.state), toQString(tile.status.words));
    }
    for (const auto& wait : m_openWaits)
        if (wait.rank >= firstVisibleRank() && wait.rank <= lastVisibleRank() && wait.rank < rankCount())
            paintOpenWait(painter, wait, now);
}

void TimelineView::paintOpenWait(QPainter& painter, const diagnosis::OpenWait& wait, double nowX) const {
    const double left = std::max(m_scale.x(static_cast<double>(wait.sinceNs - m_startNs)), 0.0);
    const double right = std::min(nowX, m_scale.width);
    if (right - left < 3)
        return;
    const auto& palette = Theme::instance().palette();
    const double top = laneTop(wait.rank) + m_layout.collectiveTop();
    paintOpen(painter, {kLabelWidth + left + 0.5, top + 0.5, right - left - 1, m_layout.collectives - 1.0},
              stateColor(diagnosis::RankState::Waiting), toQString(wait.collective.tag));
    if (wait.holder < 0 || wait.holder >= rankCount())
        return;
    const bool down = wait.holder > wait.rank;
    const double edge = laneTop(wait.holder) + (down ? m_layout.top : m_layout.top + m_layout.phases);
    const QPointF from(kLabelWidth + right - std::min(8.0, (right - left) / 2), top + m_layout.collectives / 2.0),
        to(from.x(), edge);
    painter.setPen(QPen(palette.holder, 1, Qt::DashLine));
    painter.drawLine(from, to);
    const double tip = down ? -5 : 5;
    painter.setPen(palette.holder);
    painter.setBrush(palette.holder);
    painter.drawPolygon(QPolygonF{to, to + QPointF(-3, tip), to + QPointF(3, tip)});
    painter.setBrush(Qt::NoBrush);
}

void TimelineView::paintArrows(QPainter& painter) const {
    const auto arrows = this->arrows();
    if (arrows.empty())
        return;
    const auto& palette = Theme::instance().palette();
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    for (const WaitArrow& arrow : arrows) {
        const auto* lane = laneOf(arrow.waiter);
        const int rows = lane ? lane->rows : 1;
        const double y =
            laneTop(arrow.waiter) + m_layout.rowTop(arrow.row, rows) + m_layout.rowHeight(arrow.row, rows) / 2.0;
        const QPointF from(kLabelWidth + m_scale.x(static_cast<double>(arrow.fromNs)), y);
        const bool down = arrow.holder > arrow.waiter;
        const double edge = laneTop(arrow.holder) +
                            (down ? m_layout.collectiveTop() - 1 : m_layout.collectiveTop() + m_layout.collectives + 1);
        const QPointF to(kLabelWidth + m_scale.x(static_cast<double>(arrow.toNs)), edge);
        const bool chosen = m_selected && m_selected->span.collective && m_selected->span.group == arrow.group &&
                            m_selected->span.sequence == arrow.sequence;
        const QColor colour = chosen ? palette.accent : palette.holder;
        painter.setPen(QPen(colour, chosen ? 2 : 1));
        painter.drawLine(from, to);
        painter.setBrush(Theme::instance().rankPen(arrow.waiter).color()); // who waits
        painter.drawEllipse(from, 3, 3);
        const double tip = down ? -5 : 5;
        painter.setBrush(colour);
        painter.drawPolygon(QPolygonF{to, to + QPointF(-3, tip), to + QPointF(3, tip)});
        painter.setBrush(Qt::NoBrush);
    }
    painter.restore();
}

void TimelineView::outline(QPainter& painter, int rank, const TimelineSpan& span, const QColor& colour,
                           double width) const {
    const double left = m_scale.x(static_cast<double>(span.beginNs));
    const double right = std::max(m_scale.x(static_cast<double>(span.endNs)), left + 3);
    if (right < 0 || left > m_scale.width || rank >= rankCount())
        return;
    const auto* lane = laneOf(rank);
    const int rows = lane ? lane->rows : 1;
    const int row = std::min<int>(span.row, rows - 1);
    const int top = laneTop(rank) + (span.collective ? m_layout.rowTop(row, rows) : m_layout.top);
    const int height = span.collective ? m_layout.rowHeight(row, rows) : m_layout.phases;
    painter.setPen(QPen(colour, width));
    painter.drawRect(QRectF(kLabelWidth + std::max(left, -4.0), top,
                            std::min(right, m_scale.width + 4) - std::max(left, -4.0), height)
                         .adjusted(0.5, 0.5, -0.5, -0.5));
}

void TimelineView::paintMarks(QPainter& painter) const {
    const auto& palette = Theme::instance().palette();
    painter.setBrush(Qt::NoBrush);
    // of many hits those in view, and no more than can be told apart
    auto hit = std::partition_point(m_hits.begin(), m_hits.end(), [&](const TimelineHit& h) {
        return static_cast<double>(h.span.beginNs) < m_scale.window.lo - m_scale.window.width();
    });
    for (int drawn = 0; hit != m_hits.end() && drawn < 2000; ++hit, ++drawn) {
        if (static_cast<double>(hit->span.beginNs) > m_scale.window.hi)
            break;
        if (!hit->wholeStep)
            outline(painter, hit->rank, hit->span, palette.accent, 1);
    }
    const TimelineHit* current =
        m_hit >= 0 && m_hit < static_cast<int>(m_hits.size()) ? &m_hits[static_cast<std::size_t>(m_hit)] : nullptr;
    const bool onHit = current && m_selected && m_selected->rank == current->rank &&
                       m_selected->span.beginNs == current->span.beginNs &&
                       m_selected->span.endNs == current->span.endNs &&
                       m_selected->span.collective == current->span.collective;
    if (m_selected) {
        if (m_selected->kind == TimelinePick::Kind::Span && m_selected->span.collective)
            for (int rank = firstVisibleRank(); rank <= lastVisibleRank(); ++rank)
                if (const auto* lane = laneOf(rank))
                    for (const TimelineSpan& span : lane->collectives)
                        if (span.group == m_selected->span.group && span.sequence == m_selected->span.sequence)
                            outline(painter, rank, span, palette.text, 1);
        outline(painter, m_selected->rank, m_selected->span, onHit ? palette.accent : palette.text, onHit ? 3 : 2);
    }
}

void TimelineView::paintBrush(QPainter& painter) const {
    if (m_brush) {
        const auto& palette = Theme::instance().palette();
        const double left = std::max(m_scale.x(m_brush->lo), 0.0),
                     right = std::min(m_scale.x(m_brush->hi), m_scale.width);
        if (right > left) {
            QColor fill = palette.accent;
            fill.setAlphaF(0.10F);
            const QRectF box(kLabelWidth + left, kAxisHeight, right - left, viewport()->height() - kAxisHeight);
            painter.fillRect(box, fill);
            painter.setPen(QPen(palette.accent, 1));
            painter.drawLine(box.topLeft(), box.bottomLeft());
            painter.drawLine(box.topRight(), box.bottomRight());
        }
    }
}

void TimelineView::paintAxis(QPainter& painter) const {
    const auto& palette = Theme::instance().palette();
    const QFontMetrics metrics(painter.font());
    const int axisLine = 22;
    const TimeAxis axis = timeAxis(m_scale.window, std::clamp(lanesRect().width() / 110, 2, 12));
    painter.setPen(palette.secondary);
    const QString base = axis.base.isEmpty() ? tr("since the start") : axis.base;
    painter.drawText(QRect(8, 0, kLabelWidth - 16, axisLine), Qt::AlignVCenter | Qt::AlignRight, base);
    for (const AxisTick& tick : axis.ticks) {
        const double x = kLabelWidth + m_scale.x(tick.ns);
        if (x < kLabelWidth || x > viewport()->width())
            continue;
        painter.setPen(palette.hairline);
        painter.drawLine(QPointF(x, axisLine - 5), QPointF(x, axisLine));
        painter.setPen(palette.text);
        const int width = metrics.horizontalAdvance(tick.label);
        const int left = std::clamp(static_cast<int>(x) - width / 2, kLabelWidth,
                                    std::max(viewport()->width() - width - 2, kLabelWidth));
        painter.drawText(QPoint(left, axisLine - 7), tick.label);
    }
    painter.setPen(palette.hairline);
    painter.drawLine(0, axisLine, viewport()->width(), axisLine);
    painter.setPen(palette.secondary);
    painter.drawText(QRect(8, axisLine, kLabelWidth - 16, kAxisHeight - axisLine), Qt::AlignVCenter | Qt::AlignRight,
                     tr("step"));
    paintStepNumbers(painter);
    for (const auto& incident : m_incidents) {
        const double x = kLabelWidth + std::max(m_scale.x(incident.fromNs), 0.0);
        if (m_scale.x(incident.toNs) < 0 || x > viewport()->width())
            continue;
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(Qt::NoPen);
        painter.setBrush(incident.holder >= 0 ? Theme::instance().rankPen(incident.holder).color() : palette.holder);
        painter.drawPolygon(
            QPolygonF{QPointF(x, kAxisHeight - 1), QPointF(x - 5, kAxisHeight - 9), QPointF(x + 5, kAxisHeight - 9)});
        painter.setRenderHint(QPainter::Antialiasing, false);
        painter.setBrush(Qt::NoBrush);
    }
    painter.setPen(palette.hairline);
    painter.drawLine(0, kAxisHeight - 1, viewport()->width(), kAxisHeight - 1);
    if (m_loading) {
        painter.setPen(palette.secondary);
        const QString text = tr("reading…");
        const int width = metrics.horizontalAdvance(text) + 12;
        const QRect box(viewport()->width() - width - 4, kAxisHeight + 3, width, 18);
        painter.fillRect(box, palette.raised);
        painter.drawText(box, Qt::AlignCenter, text);
    }
}

/// Steps of the first lane in view: ranks that train together are at most a step apart.
void TimelineView::paintStepNumbers(QPainter& painter) const {
    const auto* lane = laneOf(firstVisibleRank());
    if (!lane || lane->steps.empty())
        return;
    const auto& palette = Theme::instance().palette();
    const QFontMetrics metrics(painter.font());
    const int axisLine = 22;
    const double apart = metrics.horizontalAdvance(countText(lane->steps.back().lastStep)) + 24;
    for (const StepMark& mark : stepMarks(lane->steps, m_scale, apart)) {
        const double at = kLabelWidth + mark.x;
        const QString label = countText(mark.step);
        if (at + 3 + metrics.horizontalAdvance(label) > viewport()->width())
            break; // it would be cut off
        painter.setPen(palette.hairline);
        painter.drawLine(QPointF(at, axisLine), QPointF(at, kAxisHeight - 2));
        painter.setPen(palette.text);
        const bool marked = std::any_of(m_incidents.begin(), m_incidents.end(), [&](const auto& incident) {
            return std::abs(std::max(m_scale.x(incident.fromNs), 0.0) - mark.x) < 8;
        });
        painter.drawText(QPointF(at + (marked ? 10 : 3), kAxisHeight - 7), label);
    }
}

void TimelineView::paintLabels(QPainter& painter) const {
    const auto& palette = Theme::instance().palette();
    painter.setClipRect(QRect(0, lanesTop(), kLabelWidth, viewport()->height() - lanesTop()));
    for (int rank = firstVisibleRank(); rank <= lastVisibleRank() && rank < rankCount(); ++rank) {
        const int top = laneTop(rank), height = m_layout.height();
        const auto& tile = m_ranks[static_cast<std::size_t>(rank)];
        if (m_selected && m_selected->rank == rank)
            painter.fillRect(0, top, kLabelWidth, height, palette.raised);
        const int mark = std::min(14, height - 4);
        drawStateMark(painter, QRectF(8, top + (height - mark) / 2.0, mark, mark), tile.status.state,
                      stateColor(tile.status.state));
        QPen line = Theme::instance().rankPen(rank);
        line.setWidthF(3);
        painter.setPen(line);
        painter.drawLine(QPointF(kLabelWidth - 3, top + m_layout.top),
                         QPointF(kLabelWidth - 3, top + height - m_layout.bottom));
        painter.setPen(palette.text);
        painter.drawText(QRect(28, top, kLabelWidth - 36, height), Qt::AlignVCenter | Qt::AlignLeft, ranksText({rank}));
        painter.setPen(palette.hairline);
        painter.drawLine(0, top + height - 1, kLabelWidth - 6, top + height - 1);
    }
    painter.setClipping(false);
    painter.setPen(palette.hairline);
    painter.drawLine(kLabelWidth - 1, 0, kLabelWidth - 1, viewport()->height());
}

} // namespace rankscope::ui
