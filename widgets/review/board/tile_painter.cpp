// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/review/board/tile_painter.h"

#include "widgets/controls/rank_state_mark.h"
#include "widgets/models/text/text_format.h"
#include "widgets/theme/theme.h"

#include <QPainter>
#include <QTextLayout>

#include <algorithm>

namespace rankscope::ui {

using diagnosis::RankState;

namespace {

constexpr int kPad = 8;
constexpr int kMark = 14;
constexpr double kHiddenOpacity = 0.45; ///< of the marks of ranks that are not shown

bool isAlarming(RankState state) {
    return state == RankState::Holder || state == RankState::Stopped || state == RankState::Dead;
}

/// Draws at most `most` lines of text; the last one is elided.
void drawWrapped(QPainter& painter, const QRectF& box, const QString& text, int most) {
    QTextLayout layout(text, painter.font());
    QTextOption option;
    option.setWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);
    layout.setTextOption(option);
    layout.beginLayout();
    const QFontMetricsF metrics(painter.font());
    double y = box.top();
    for (int i = 0; i < most; ++i) {
        QTextLine line = layout.createLine();
        if (!line.isValid())
            break;
        line.setLineWidth(box.width());
        const bool last = i == most - 1;
        const QString part = last ? text.mid(line.textStart()) : text.mid(line.textStart(), line.textLength());
        painter.drawText(QRectF(box.left(), y, box.width(), metrics.height()), Qt::AlignLeft | Qt::AlignVCenter,
                         metrics.elidedText(part.trimmed(), Qt::ElideRight, box.width()));
        y += metrics.height();
    }
    layout.endLayout();
}

/// Returns the first of the texts that fits into the width; the last one if none does.
QString fitting(const QFontMetricsF& metrics, const QStringList& texts, double width) {
    const auto fits =
        std::ranges::find_if(texts, [&](const QString& text) { return metrics.horizontalAdvance(text) <= width; });
    return fits == texts.end() ? texts.back() : *fits;
}

/// The tile of a hidden rank is pale, but still to be read.
QColor inkOf(const TilePainter::TileLook& look) {
    const auto& palette = Theme::instance().palette();
    return look.shown ? palette.text : palette.secondary;
}

} // namespace

void TilePainter::draw(const QRect& box, const RankTile& tile, const TileLook& look) {
    drawGround(box, tile, look);
    m_painter.save();
    m_painter.setOpacity(look.shown ? 1 : kHiddenOpacity);
    const QRectF head(box.left() + kPad, box.top() + 7, box.width() - 2 * kPad, 17);
    drawStateMark(m_painter, QRectF(head.left() - 1, head.center().y() - kMark / 2.0, kMark, kMark), tile.status.state,
                  stateColor(tile.status.state));
    m_painter.setOpacity(1);
    drawHead(head, tile, look);
    drawWords(QRectF(box.left() + kPad, box.top() + 26, box.width() - 2 * kPad, 32), tile, look);
    m_painter.setOpacity(look.shown ? 1 : kHiddenOpacity);
    if (look.pinned)
        m_painter.fillRect(QRectF(box.left() + 1, box.top() + 8, 3, box.height() - 16),
                           Theme::instance().palette().accent);
    drawLine(box, tile.rank);
    m_painter.restore();
}

void TilePainter::drawGround(const QRect& box, const RankTile& tile, const TileLook& look) {
    const auto& palette = Theme::instance().palette();
    const QColor state = stateColor(tile.status.state);
    const QRectF frame = QRectF(box).adjusted(0.5, 0.5, -0.5, -0.5);
    m_painter.setPen(Qt::NoPen);
    m_painter.setBrush(look.hovered ? palette.raised : palette.panel);
    m_painter.drawRoundedRect(frame, 4, 4);
    QColor border = palette.hairline;
    if (isAlarming(tile.status.state)) {
        m_painter.setBrush(withAlpha(state, palette.dark ? 0.12F : 0.08F));
        m_painter.drawRoundedRect(frame, 4, 4);
        border = state;
    } else if (tile.status.state == RankState::Waiting) {
        m_painter.setBrush(hatchBrush(palette.tileHatch()));
        m_painter.drawRoundedRect(frame, 4, 4);
    }
    m_painter.setBrush(Qt::NoBrush);
    m_painter.setPen(QPen(look.solo || look.current ? palette.accent : border, look.solo ? 2 : 1));
    m_painter.drawRoundedRect(frame, 4, 4);
}

/// Draws the rank and its step. A dead rank's words name the step in which it died, which follows the last one that it
/// finished, so its head has none. Leaves the small font set.
void TilePainter::drawHead(const QRectF& head, const RankTile& tile, const TileLook& look) {
    QFont bold = m_font;
    bold.setWeight(QFont::DemiBold);
    m_painter.setFont(bold);
    m_painter.setPen(inkOf(look));
    const QString name = tr("rank %1").arg(tile.rank);
    m_painter.drawText(head.adjusted(kMark + 4, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter, name);
    const double used = kMark + 4 + QFontMetricsF(bold).horizontalAdvance(name) + 8;
    QFont small = m_font;
    small.setPointSizeF(9);
    m_painter.setFont(small);
    m_painter.setPen(Theme::instance().palette().secondary);
    if (tile.step < 0 || tile.status.state == RankState::Dead)
        return;
    const QString longText = tr("step %1").arg(countText(tile.step));
    const bool fits = QFontMetricsF(small).horizontalAdvance(longText) <= head.width() - used;
    m_painter.drawText(head.adjusted(used, 0, 0, 0), Qt::AlignRight | Qt::AlignVCenter,
                       fits ? longText : countText(tile.step));
}

/// Draws what the rank does or how it ended. For an ended run, this includes how long it waited and held others, unless
/// the cause of a death takes both lines.
void TilePainter::drawWords(const QRectF& box, const RankTile& tile, const TileLook& look) {
    const QFontMetricsF metrics(m_painter.font());
    const QString words = toQString(tile.status.words.text(currentLanguage()));
    const bool withWaits =
        !look.waits.isEmpty() && (!isAlarming(tile.status.state) || metrics.horizontalAdvance(words) <= box.width());
    m_painter.setPen(inkOf(look));
    drawWrapped(m_painter, box, words, withWaits ? 1 : 2);
    if (!withWaits)
        return;
    m_painter.setPen(Theme::instance().palette().secondary);
    m_painter.drawText(QRectF(box.left(), box.top() + metrics.height(), box.width(), metrics.height()),
                       Qt::AlignLeft | Qt::AlignVCenter, fitting(metrics, look.waits, box.width()));
}

/// Draws the rank's line as the plots do, at the lower edge.
void TilePainter::drawLine(const QRect& box, int rank) {
    QPen pen = Theme::instance().rankPen(rank);
    pen.setWidthF(2);
    pen.setCapStyle(Qt::FlatCap);
    m_painter.setPen(pen);
    m_painter.setRenderHint(QPainter::Antialiasing, false);
    const int y = box.bottom() - 6;
    m_painter.drawLine(box.left() + kPad, y, box.right() - kPad, y);
}

} // namespace rankscope::ui
