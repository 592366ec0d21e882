// SPDX-License-Identifier: GPL-3.0-or-later
// The rank board of more ranks than two rows of tiles hold: a cell per rank, by colour and shape, and their sums.
#include "widgets/controls/rank_state_mark.h"
#include "widgets/models/text/text_format.h"
#include "widgets/review/board/rank_board.h"
#include "widgets/theme/theme.h"

#include <QPainter>

#include <map>

namespace rankscope::ui {

using diagnosis::RankState;

static bool isCalm(RankState state) {
    return state == RankState::Computing || state == RankState::Finished || state == RankState::Unknown ||
           state == RankState::Starting;
}

/// One picture per state: a thousand cells are a thousand copies.
const QPixmap& RankBoard::cellPicture(RankState state) {
    auto [it, isNew] = m_cellPictures.try_emplace(static_cast<int>(state));
    if (!isNew)
        return it->second;
    const int side = m_heat.cell - 2;
    const qreal scale = devicePixelRatioF();
    QPixmap picture(QSize(side, side) * scale);
    picture.setDevicePixelRatio(scale);
    picture.fill(Qt::transparent);
    const auto& theme = Theme::instance();
    QColor ground = stateColor(state);
    ground.setAlphaF(isCalm(state) ? 0.22F : 0.34F);
    QPainter painter(&picture);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(isCalm(state) ? QPen(Qt::NoPen) : QPen(stateColor(state), 1));
    painter.setBrush(ground);
    painter.drawRoundedRect(QRectF(0.5, 0.5, side - 1, side - 1), 2, 2);
    const double mark = side * 0.78;
    drawStateMark(painter, QRectF((side - mark) / 2, (side - mark) / 2, mark, mark), state, stateColor(state));
    it->second = picture;
    return it->second;
}

QString RankBoard::sums() const {
    std::map<RankState, int> counts;
    for (const auto& tile : m_tiles)
        ++counts[tile.status.state];
    QStringList parts;
    for (const RankState state : {RankState::Dead, RankState::Stopped, RankState::Holder, RankState::Waiting,
                                  RankState::Computing, RankState::Starting, RankState::Finished, RankState::Unknown})
        if (counts.contains(state))
            parts << tr("%1 %2", "count, state: 12 waiting").arg(countText(counts[state]), stateText(state));
    return tr("%1 ranks: %2").arg(countText(static_cast<qint64>(m_tiles.size())), parts.join(QStringLiteral(", ")));
}

void RankBoard::paintHeat(QPainter& painter, const QRect& exposed) {
    const auto& palette = Theme::instance().palette();
    const int scrolled = verticalScrollBar()->value();
    QFont small = font();
    small.setPointSizeF(9);
    painter.setFont(small);
    painter.setPen(palette.secondary);
    const QFontMetrics metrics(small);
    const int stride = std::max(1, (metrics.height() + m_heat.cell - 1) / m_heat.cell);
    for (int row = 0; row < m_heat.rows(); row += stride) {
        const QRect cell = m_heat.at(row * m_heat.columns).translated(0, -scrolled);
        painter.drawText(QRect(HeatLayout::kPad, cell.center().y() - 8, HeatLayout::kLabel - 8, 17),
                         Qt::AlignRight | Qt::AlignVCenter,
                         QString::number(m_tiles[static_cast<std::size_t>(row * m_heat.columns)].rank));
    }
    const int first = std::max(0, (exposed.top() + scrolled - HeatLayout::kHeader) / m_heat.cell) * m_heat.columns;
    for (int i = first; i < m_heat.cells; ++i) {
        const QRect cell = m_heat.at(i).translated(0, -scrolled);
        if (cell.top() > exposed.bottom())
            break;
        const RankTile& tile = m_tiles[static_cast<std::size_t>(i)];
        painter.setOpacity(m_choice.shows(tile.rank) ? 1 : 0.35);
        painter.drawPixmap(cell.topLeft(), cellPicture(tile.status.state));
        painter.setOpacity(1);
        const bool current = m_ring && hasFocus() && i == m_current;
        const bool ringed = m_choice.solo == tile.rank || m_choice.pinned.contains(tile.rank) || i == m_hovered;
        if (!current && !ringed)
            continue;
        painter.setPen(QPen(current || m_choice.solo == tile.rank ? palette.accent : palette.text, current ? 2 : 1.5));
        painter.setBrush(Qt::NoBrush);
        painter.drawRoundedRect(QRectF(cell).adjusted(0, 0, 0, 0), 2, 2);
    }
    painter.fillRect(QRect(0, 0, viewport()->width(), HeatLayout::kHeader), palette.window);
    painter.setPen(palette.text);
    painter.drawText(QRect(HeatLayout::kPad, 0, viewport()->width() - 2 * HeatLayout::kPad, HeatLayout::kHeader),
                     Qt::AlignLeft | Qt::AlignVCenter,
                     metrics.elidedText(sums(), Qt::ElideRight, viewport()->width() - 2 * HeatLayout::kPad));
}

} // namespace rankscope::ui
