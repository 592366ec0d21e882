// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/timeline/view/timeline_painter.h"

#include "widgets/controls/rank_state_mark.h"
#include "widgets/models/text/text_format.h"
#include "widgets/theme/theme.h"
#include "widgets/timeline/geometry/lane_raster.h"
#include "widgets/timeline/geometry/timeline_geometry.h"

#include <QPainter>

#include <algorithm>
#include <cmath>
#include <set>

namespace rankscope::ui {

namespace {

constexpr int kLabelWidth = TimelineScene::kLabelWidth, kAxisHeight = TimelineScene::kAxisHeight;
constexpr int kTextPad = 4;
constexpr int kTwoLines = 34;    ///< minimum height for two lines of text
constexpr int kMostTexts = 3000; ///< kept in the cache

LaneLayout times(const LaneLayout& layout, double ratio) {
    const auto px = [ratio](int length) { return static_cast<int>(std::lround(length * ratio)); };
    return {px(layout.top), px(layout.phases), px(layout.gap), px(layout.collectives), px(layout.bottom)};
}

void drawArrowHead(QPainter& painter, const QPointF& at, bool down, const QColor& colour) {
    const double tip = down ? -5 : 5;
    painter.setBrush(colour);
    painter.drawPolygon(QPolygonF{at, at + QPointF(-3, tip), at + QPointF(3, tip)});
    painter.setBrush(Qt::NoBrush);
}

} // namespace

TimelinePainter::TimelinePainter(const TimelineScene& scene) : m_scene(scene), m_colours(TimelineColours::ofTheme()) {}

void TimelinePainter::restyle() {
    m_texts.clear();
    m_dirty = true;
}

void TimelinePainter::rasterise(double pixelRatio) {
    m_colours = TimelineColours::ofTheme(m_scene.scale.window.width());
    const QRect lanes = m_scene.lanesRect();
    const QSize size(static_cast<int>(std::lround(lanes.width() * pixelRatio)),
                     static_cast<int>(std::lround(lanes.height() * pixelRatio)));
    if (m_image.size() != size)
        m_image = QImage(size, QImage::Format_RGB32);
    m_image.setDevicePixelRatio(pixelRatio);
    m_image.fill(Theme::instance().palette().panel);
    const LaneLayout layout = times(m_scene.layout, pixelRatio);
    LaneRaster raster(m_image, m_colours, {m_scene.scale.window, static_cast<double>(size.width())});
    const bool fresh = m_scene.serves(m_scene.reply.get()), whole = !fresh && m_scene.serves(m_scene.overview.get());
    for (int rank = m_scene.firstVisibleRank(); rank <= m_scene.lastVisibleRank() && rank < m_scene.rankCount();
         ++rank) {
        const int top = static_cast<int>(std::lround((m_scene.laneTop(rank) - m_scene.lanesTop()) * pixelRatio));
        raster.clear(layout, top);
        // parts that have not been read yet are shown in the coarser form that has been read
        for (const auto& [reply, wanted] :
             {std::pair(m_scene.overview.get(), !fresh), std::pair(m_scene.reply.get(), !whole)})
            if (const auto* lane = reply && wanted ? reply->lane(rank) : nullptr)
                raster.paint(*lane, layout, top,
                             {static_cast<double>(reply->request.fromNs), static_cast<double>(reply->request.toNs)});
    }
    m_dirty = false;
}

void TimelinePainter::paint(QPainter& painter, double pixelRatio, bool focused) {
    if (m_dirty)
        rasterise(pixelRatio);
    const auto& palette = Theme::instance().palette();
    painter.drawImage(m_scene.lanesRect().topLeft(), m_image);
    painter.setFont(secondaryFont());
    if (const QRect track = m_scene.trackRect(); track.height() > 0)
        m_scene.track.paint(painter, track, kLabelWidth, m_scene.scale, m_colours);
    const QRect below(kLabelWidth, kAxisHeight, m_scene.size.width() - kLabelWidth,
                      m_scene.size.height() - kAxisHeight);
    painter.setClipRect(below);
    paintIncidents(painter);
    painter.setClipRect(m_scene.lanesRect());
    paintSteps(painter);
    paintTexts(painter);
    paintNow(painter);
    paintOpenWaits(painter);
    paintArrows(painter);
    paintMarks(painter);
    painter.setClipRect(below);
    paintBrush(painter);
    painter.setClipping(false);
    painter.fillRect(0, 0, m_scene.size.width(), kAxisHeight, palette.window);
    painter.fillRect(0, m_scene.lanesTop(), kLabelWidth, m_scene.size.height(), palette.window);
    paintAxis(painter);
    paintLabels(painter);
    if (focused) {
        painter.setPen(QPen(palette.accent, 1));
        painter.drawRect(QRect({}, m_scene.size).adjusted(0, 0, -1, -1));
    }
}

void TimelinePainter::paintIncidents(QPainter& painter) const {
    for (const auto& incident : m_scene.incidents) {
        const double left = m_scene.scale.x(incident.fromNs),
                     right = std::max(m_scene.scale.x(incident.toNs), left + 3);
        if (right < 0 || left > m_scene.scale.width)
            continue;
        const double from = std::max(left, 0.0), to = std::min(right, m_scene.scale.width);
        painter.fillRect(QRectF(kLabelWidth + from, kAxisHeight, to - from, m_scene.size.height() - kAxisHeight),
                         withAlpha(Theme::instance().palette().incidentSign(incident.pause), 0.12F));
    }
}

/// Paints where a rank's steps begin, if there is room to distinguish them.
void TimelinePainter::paintSteps(QPainter& painter) const {
    painter.setPen(QPen(withAlpha(Theme::instance().palette().text, 0.45F), 1, Qt::DotLine));
    for (int rank = m_scene.firstVisibleRank(); rank <= m_scene.lastVisibleRank(); ++rank) {
        const auto* lane = m_scene.laneOf(rank);
        if (!lane || lane->steps.empty())
            continue;
        const auto& steps = lane->steps;
        const double mean = static_cast<double>(steps.back().endNs - steps.front().beginNs) /
                            static_cast<double>(steps.size()) / m_scene.scale.nsPerPixel();
        if (mean < 24)
            continue;
        const int top = m_scene.laneTop(rank);
        for (const auto& step : steps) {
            const double x = m_scene.scale.x(static_cast<double>(step.beginNs));
            if (x >= 0 && x <= m_scene.scale.width)
                painter.drawLine(QPointF(kLabelWidth + std::floor(x) + 0.5, top + 1),
                                 QPointF(kLabelWidth + std::floor(x) + 0.5, top + m_scene.layout.height() - 2));
        }
    }
}

bool TimelinePainter::drawInside(QPainter& painter, const QString& text, const QRect& box, const QColor& colour) {
    auto at = m_texts.find(text);
    if (at == m_texts.end()) {
        if (m_texts.size() > kMostTexts)
            m_texts.clear();
        LaidOutText made;
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

void TimelinePainter::drawBoth(QPainter& painter, const QString& name, const QString& more, const QRect& box,
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
    else
        drawInside(painter, more, box, colour);
}

void TimelinePainter::paintTexts(QPainter& painter) {
    const auto* reply = m_scene.best();
    if (!reply || m_scene.layout.phases < 14)
        return;
    const auto& palette = Theme::instance().palette();
    const double leastNs = 28 * m_scene.scale.nsPerPixel();
    // the part of a span that is in view; empty if it is too narrow for any word
    const auto boxOf = [&](const TimelineSpan& span, int top, int height) {
        if (static_cast<double>(span.lengthNs()) < leastNs)
            return QRect();
        const double left = std::max(m_scene.scale.x(static_cast<double>(span.beginNs)), 0.0);
        const double right = std::min(m_scene.scale.x(static_cast<double>(span.endNs)), m_scene.scale.width);
        return right - left < 28
                   ? QRect()
                   : QRect(kLabelWidth + static_cast<int>(left), top, static_cast<int>(right - left), height);
    };
    for (int rank = m_scene.firstVisibleRank(); rank <= m_scene.lastVisibleRank(); ++rank) {
        const auto* lane = reply->lane(rank);
        if (!lane)
            continue;
        const int top = m_scene.laneTop(rank);
        for (const TimelineSpan& span : lane->phases)
            if (const QRect box = boxOf(span, top + m_scene.layout.top, m_scene.layout.phases); !box.isEmpty()) {
                const bool hatched = span.phase == telemetry::Phase::Barrier;
                const QColor text = hatched ? palette.text : textOn(m_colours.of(span.phase));
                drawBoth(painter, phaseText(span.phase), durationText(span.lengthNs()), box, text);
            }
        if (m_scene.layout.rowHeight(0, lane->rows) < 13)
            continue; // too low for words
        for (const TimelineSpan& span : lane->collectives) {
            const int row = std::min<int>(span.row, lane->rows - 1);
            const QRect box =
                boxOf(span, top + m_scene.layout.rowTop(row, lane->rows), m_scene.layout.rowHeight(row, lane->rows));
            if (box.isEmpty())
                continue;
            // words begin at the left of the visible part: on the hatch, or after it
            const double waitPx = m_scene.scale.x(static_cast<double>(span.waitEndNs())) - (box.left() - kLabelWidth);
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

/// Returns the end of a rank's last recorded span or step.
double TimelinePainter::lastRecordedNs(int rank) const {
    const auto* lane = m_scene.laneOf(rank);
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

/// Paints a dashed box for something that no record reports: it is in progress, or the run's end cut it off.
void TimelinePainter::paintOpen(QPainter& painter, const QRectF& box, diagnosis::RankState state,
                                const QString& words) const {
    const auto& palette = Theme::instance().palette();
    const QColor colour = stateColor(state);
    painter.setPen(QPen(colour, 1, Qt::DashLine));
    painter.setBrush(state == diagnosis::RankState::Waiting ? hatchBrush(m_colours.waitingHatch, m_colours.waiting)
                                                            : QBrush(blend(palette.panel, colour, 0.12)));
    painter.drawRect(box);
    painter.setBrush(Qt::NoBrush);
    const int width = static_cast<int>(box.width()) - 2 * kTextPad;
    if (box.height() < 12 || width < 16)
        return;
    painter.setPen(palette.text);
    painter.drawText(box.adjusted(kTextPad, 0, -kTextPad, 0), Qt::AlignVCenter | Qt::AlignLeft,
                     painter.fontMetrics().elidedText(words, Qt::ElideRight, width));
}

/// For a live run, paints what each rank does now, which is not a span yet.
void TimelinePainter::paintNow(QPainter& painter) const {
    if (!m_scene.live)
        return;
    for (int rank = m_scene.firstVisibleRank(); rank <= m_scene.lastVisibleRank() && rank < m_scene.rankCount();
         ++rank) {
        const RankTile& tile = m_scene.ranks[static_cast<std::size_t>(rank)];
        paintOpenPhase(painter, rank, tile.phaseSinceNs, tile.status.state,
                       toQString(tile.status.words.text(currentLanguage())));
    }
}

/// Paints the collectives that ranks wait in, or waited in when the run ended, which are not spans. The holders of an
/// ended run have no phase of now: theirs is that of the wait.
void TimelinePainter::paintOpenWaits(QPainter& painter) const {
    const auto isInView = [&](int rank) {
        return rank >= m_scene.firstVisibleRank() && rank <= m_scene.lastVisibleRank() && rank < m_scene.rankCount();
    };
    std::set<int> holders;
    for (const auto& wait : m_scene.openWaits) {
        if (!m_scene.live && isInView(wait.holder) && wait.holderPhase != telemetry::Phase::None &&
            holders.insert(wait.holder).second)
            paintOpenPhase(painter, wait.holder, wait.sinceNs, diagnosis::RankState::Holder,
                           phaseText(wait.holderPhase));
        if (isInView(wait.rank))
            paintOpenWait(painter, wait);
    }
}

/// Returns where the open waits end, and the phases of now.
double TimelinePainter::openEndX() const {
    const double end =
        m_scene.scale.x(m_scene.live ? m_scene.limits.hi : static_cast<double>(m_scene.openUntilNs - m_scene.startNs));
    return std::min(end, m_scene.scale.width);
}

/// A long phase that is not a span began after the last recorded one.
void TimelinePainter::paintOpenPhase(QPainter& painter, int rank, std::int64_t sinceNs, diagnosis::RankState state,
                                     const QString& words) const {
    const double begin = std::max(lastRecordedNs(rank), static_cast<double>(sinceNs - m_scene.startNs));
    const double left = std::max(m_scene.scale.x(begin), 0.0), right = openEndX();
    if (right - left >= 3)
        paintOpen(painter,
                  {kLabelWidth + left + 0.5, m_scene.laneTop(rank) + m_scene.layout.top + 0.5, right - left - 1,
                   m_scene.layout.phases - 1.0},
                  state, words);
}

void TimelinePainter::paintOpenWait(QPainter& painter, const diagnosis::OpenWait& wait) const {
    const double left = std::max(m_scene.scale.x(static_cast<double>(wait.sinceNs - m_scene.startNs)), 0.0);
    const double right = openEndX();
    if (right - left < 3)
        return;
    const auto& palette = Theme::instance().palette();
    const double top = m_scene.laneTop(wait.rank) + m_scene.layout.collectiveTop();
    paintOpen(painter, {kLabelWidth + left + 0.5, top + 0.5, right - left - 1, m_scene.layout.collectives - 1.0},
              diagnosis::RankState::Waiting, toQString(wait.collective.tag));
    if (wait.holder < 0 || wait.holder >= m_scene.rankCount())
        return;
    const bool down = wait.holder > wait.rank;
    const double edge =
        m_scene.laneTop(wait.holder) + (down ? m_scene.layout.top : m_scene.layout.top + m_scene.layout.phases);
    const QPointF from(kLabelWidth + right - std::min(8.0, (right - left) / 2), top + m_scene.layout.collectives / 2.0),
        to(from.x(), edge);
    painter.setPen(QPen(palette.text, 1, Qt::DashLine));
    painter.drawLine(from, to);
    painter.setPen(palette.text);
    drawArrowHead(painter, to, down, palette.text);
}

void TimelinePainter::paintArrows(QPainter& painter) const {
    const auto arrows = m_scene.arrows();
    if (arrows.empty())
        return;
    const auto& palette = Theme::instance().palette();
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    for (const WaitArrow& arrow : arrows) {
        const auto* lane = m_scene.laneOf(arrow.waiter);
        const int rows = lane ? lane->rows : 1;
        const double y = m_scene.laneTop(arrow.waiter) + m_scene.layout.rowTop(arrow.row, rows) +
                         m_scene.layout.rowHeight(arrow.row, rows) / 2.0;
        const QPointF from(kLabelWidth + m_scene.scale.x(static_cast<double>(arrow.fromNs)), y);
        const bool down = arrow.holder > arrow.waiter;
        const double edge =
            m_scene.laneTop(arrow.holder) + (down ? m_scene.layout.collectiveTop() - 1
                                                  : m_scene.layout.collectiveTop() + m_scene.layout.collectives + 1);
        const QPointF to(kLabelWidth + m_scene.scale.x(static_cast<double>(arrow.toNs)), edge);
        const bool chosen = m_scene.selected && m_scene.selected->span.collective &&
                            m_scene.selected->span.group == arrow.group &&
                            m_scene.selected->span.sequence == arrow.sequence;
        const QColor colour = chosen ? palette.accent : palette.text;
        painter.setPen(QPen(colour, chosen ? 2 : 1));
        painter.drawLine(from, to);
        painter.setBrush(Theme::instance().rankPen(arrow.waiter).color()); // who waits
        painter.drawEllipse(from, 3, 3);
        drawArrowHead(painter, to, down, colour);
    }
    painter.restore();
}

void TimelinePainter::outline(QPainter& painter, int rank, const TimelineSpan& span, const QColor& colour,
                              double width) const {
    const double left = m_scene.scale.x(static_cast<double>(span.beginNs));
    const double right = std::max(m_scene.scale.x(static_cast<double>(span.endNs)), left + 3);
    if (right < 0 || left > m_scene.scale.width || rank >= m_scene.rankCount())
        return;
    const auto* lane = m_scene.laneOf(rank);
    const int rows = lane ? lane->rows : 1;
    const int row = std::min<int>(span.row, rows - 1);
    const int top = m_scene.laneTop(rank) + (span.collective ? m_scene.layout.rowTop(row, rows) : m_scene.layout.top);
    const int height = span.collective ? m_scene.layout.rowHeight(row, rows) : m_scene.layout.phases;
    painter.setPen(QPen(colour, width));
    painter.drawRect(QRectF(kLabelWidth + std::max(left, -4.0), top,
                            std::min(right, m_scene.scale.width + 4) - std::max(left, -4.0), height)
                         .adjusted(0.5, 0.5, -0.5, -0.5));
}

void TimelinePainter::paintMarks(QPainter& painter) const {
    const auto& palette = Theme::instance().palette();
    painter.setBrush(Qt::NoBrush);
    // only hits in view, and no more than can be distinguished
    auto hit = std::partition_point(m_scene.hits.begin(), m_scene.hits.end(), [&](const TimelineHit& h) {
        return static_cast<double>(h.span.beginNs) < m_scene.scale.window.lo - m_scene.scale.window.width();
    });
    for (int drawn = 0; hit != m_scene.hits.end() && drawn < 2000; ++hit, ++drawn) {
        if (static_cast<double>(hit->span.beginNs) > m_scene.scale.window.hi)
            break;
        if (!hit->wholeStep)
            outline(painter, hit->rank, hit->span, palette.accent, 1);
    }
    const TimelineHit* current = m_scene.hit >= 0 && m_scene.hit < static_cast<int>(m_scene.hits.size())
                                     ? &m_scene.hits[static_cast<std::size_t>(m_scene.hit)]
                                     : nullptr;
    const bool onHit = current && m_scene.selected && m_scene.selected->rank == current->rank &&
                       m_scene.selected->span.beginNs == current->span.beginNs &&
                       m_scene.selected->span.endNs == current->span.endNs &&
                       m_scene.selected->span.collective == current->span.collective;
    if (m_scene.selected) {
        if (m_scene.selected->kind == TimelinePick::PickKind::Span && m_scene.selected->span.collective)
            for (int rank = m_scene.firstVisibleRank(); rank <= m_scene.lastVisibleRank(); ++rank)
                if (const auto* lane = m_scene.laneOf(rank))
                    for (const TimelineSpan& span : lane->collectives)
                        if (span.group == m_scene.selected->span.group &&
                            span.sequence == m_scene.selected->span.sequence)
                            outline(painter, rank, span, palette.text, 1);
        outline(painter, m_scene.selected->rank, m_scene.selected->span, onHit ? palette.accent : palette.text,
                onHit ? 3 : 2);
    }
}

void TimelinePainter::paintBrush(QPainter& painter) const {
    if (!m_scene.brush)
        return;
    const double left = std::max(m_scene.scale.x(m_scene.brush->lo), 0.0),
                 right = std::min(m_scene.scale.x(m_scene.brush->hi), m_scene.scale.width);
    if (right <= left)
        return;
    const QColor accent = Theme::instance().palette().accent;
    const QRectF box(kLabelWidth + left, kAxisHeight, right - left, m_scene.size.height() - kAxisHeight);
    painter.fillRect(box, withAlpha(accent, 0.10F));
    painter.setPen(QPen(accent, 1));
    painter.drawLine(box.topLeft(), box.bottomLeft());
    painter.drawLine(box.topRight(), box.bottomRight());
}

void TimelinePainter::paintAxis(QPainter& painter) const {
    const auto& palette = Theme::instance().palette();
    const QFontMetrics metrics(painter.font());
    constexpr int axisLine = TimelineScene::kStepRow;
    const TimeAxis axis = timeAxis(m_scene.scale.window, std::clamp(m_scene.lanesRect().width() / 110, 2, 12));
    painter.setPen(palette.secondary);
    const QString base = axis.base.isEmpty() ? tr("time since start") : axis.base;
    painter.drawText(QRect(8, 0, kLabelWidth - 16, axisLine), Qt::AlignVCenter | Qt::AlignRight, base);
    for (const AxisTick& tick : axis.ticks) {
        const double x = kLabelWidth + m_scene.scale.x(tick.ns);
        if (x < kLabelWidth || x > m_scene.size.width())
            continue;
        painter.setPen(palette.hairline);
        painter.drawLine(QPointF(x, axisLine - 5), QPointF(x, axisLine));
        painter.setPen(palette.text);
        const int width = metrics.horizontalAdvance(tick.label);
        const int left = std::clamp(static_cast<int>(x) - width / 2, kLabelWidth,
                                    std::max(m_scene.size.width() - width - 2, kLabelWidth));
        painter.drawText(QPoint(left, axisLine - 7), tick.label);
    }
    painter.setPen(palette.hairline);
    painter.drawLine(0, axisLine, m_scene.size.width(), axisLine);
    painter.setPen(palette.secondary);
    painter.drawText(QRect(8, axisLine, kLabelWidth - 16, kAxisHeight - axisLine), Qt::AlignVCenter | Qt::AlignRight,
                     tr("step"));
    paintStepNumbers(painter);
    m_scene.flags.paint(painter, m_scene.stepRow(), m_scene.scale);
    for (const auto& incident : m_scene.incidents) {
        const double x = kLabelWidth + std::max(m_scene.scale.x(incident.fromNs), 0.0);
        if (m_scene.scale.x(incident.toNs) < 0 || x > m_scene.size.width())
            continue;
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(Qt::NoPen);
        painter.setBrush(palette.incidentSign(incident.pause));
        painter.drawPolygon(
            QPolygonF{QPointF(x, kAxisHeight - 1), QPointF(x - 5, kAxisHeight - 9), QPointF(x + 5, kAxisHeight - 9)});
        painter.setRenderHint(QPainter::Antialiasing, false);
        painter.setBrush(Qt::NoBrush);
    }
    painter.setPen(palette.hairline);
    painter.drawLine(0, kAxisHeight - 1, m_scene.size.width(), kAxisHeight - 1);
    if (m_scene.loading) {
        painter.setPen(palette.secondary);
        const QString text = tr("reading…");
        const int width = metrics.horizontalAdvance(text) + 12;
        const QRect box(m_scene.size.width() - width - 4, kAxisHeight + 3, width, 18);
        painter.fillRect(box, palette.raised);
        painter.drawText(box, Qt::AlignCenter, text);
    }
}

/// Paints the step numbers of the first lane in view: ranks that train together are at most one step apart.
void TimelinePainter::paintStepNumbers(QPainter& painter) const {
    const auto* lane = m_scene.laneOf(m_scene.firstVisibleRank());
    if (!lane || lane->steps.empty())
        return;
    const auto& palette = Theme::instance().palette();
    const QFontMetrics metrics(painter.font());
    constexpr int axisLine = TimelineScene::kStepRow;
    const double apart = metrics.horizontalAdvance(countText(lane->steps.back().lastStep)) + 24;
    for (const StepMark& mark : stepMarks(lane->steps, m_scene.scale, apart)) {
        const double at = kLabelWidth + mark.x;
        const QString label = countText(mark.step);
        if (at + 3 + metrics.horizontalAdvance(label) > m_scene.size.width())
            break; // it would be cut off
        painter.setPen(palette.hairline);
        painter.drawLine(QPointF(at, axisLine), QPointF(at, kAxisHeight - 2));
        painter.setPen(palette.text);
        const bool marked = std::any_of(m_scene.incidents.begin(), m_scene.incidents.end(), [&](const auto& incident) {
            return std::abs(std::max(m_scene.scale.x(incident.fromNs), 0.0) - mark.x) < 8;
        });
        const bool shifted = marked || m_scene.flags.covers(mark.x, m_scene.scale);
        painter.drawText(QPointF(at + (shifted ? 10 : 3), kAxisHeight - 7), label);
    }
}

void TimelinePainter::paintLabels(QPainter& painter) const {
    const auto& palette = Theme::instance().palette();
    painter.setClipRect(QRect(0, m_scene.lanesTop(), kLabelWidth, m_scene.size.height() - m_scene.lanesTop()));
    for (int rank = m_scene.firstVisibleRank(); rank <= m_scene.lastVisibleRank() && rank < m_scene.rankCount();
         ++rank) {
        const int top = m_scene.laneTop(rank), height = m_scene.layout.height();
        const auto& tile = m_scene.ranks[static_cast<std::size_t>(rank)];
        if (m_scene.selected && m_scene.selected->rank == rank)
            painter.fillRect(0, top, kLabelWidth, height, palette.raised);
        const int mark = std::min(14, height - 4);
        drawStateMark(painter, QRectF(8, top + (height - mark) / 2.0, mark, mark), tile.status.state,
                      stateColor(tile.status.state));
        QPen line = Theme::instance().rankPen(rank);
        line.setWidthF(3);
        painter.setPen(line);
        painter.drawLine(QPointF(kLabelWidth - 3, top + m_scene.layout.top),
                         QPointF(kLabelWidth - 3, top + height - m_scene.layout.bottom));
        painter.setPen(palette.text);
        painter.drawText(QRect(28, top, kLabelWidth - 36, height), Qt::AlignVCenter | Qt::AlignLeft, ranksText({rank}));
        painter.setPen(palette.hairline);
        painter.drawLine(0, top + height - 1, kLabelWidth - 6, top + height - 1);
    }
    painter.setClipping(false);
    painter.setPen(palette.hairline);
    painter.drawLine(kLabelWidth - 1, 0, kLabelWidth - 1, m_scene.size.height());
}

} // namespace rankscope::ui
