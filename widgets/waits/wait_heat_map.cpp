// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/waits/wait_heat_map.h"

#include "widgets/controls/clipboard/copy_text.h"
#include "widgets/models/text/text_format.h"
#include "widgets/theme/accessible.h"
#include "widgets/theme/theme.h"

#include <QHelpEvent>
#include <QMenu>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <QToolTip>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace rankscope::ui {

static constexpr int kMostWithNumbers = 24;
static constexpr int kRowHeight = 22; ///< if there is room

WaitHeatMap::WaitHeatMap(QWidget* parent) : QAbstractScrollArea(parent) {
    setAccessibleRole(this, QAccessible::Chart); // its figures are in the table next to it
    setObjectName(QStringLiteral("waitHeatMap"));
    setFrameShape(QFrame::NoFrame);
    setFocusPolicy(Qt::StrongFocus);
    viewport()->setMouseTracking(true);
    connect(&Theme::instance(), &Theme::changed, this, [this] { setGrid(m_grid); });
}

QColor WaitHeatMap::colourOf(std::int64_t ns) const {
    const auto& palette = Theme::instance().palette();
    if (ns <= 0 || m_grid.most <= 0)
        return palette.panel;
    // the root makes small waits visible next to a large one
    const double share = std::sqrt(static_cast<double>(ns) / static_cast<double>(m_grid.most));
    return palette.waitShade(share);
}

void WaitHeatMap::setGrid(WaitGrid grid) {
    const bool other = grid.ranks != m_grid.ranks;
    m_grid = std::move(grid);
    if (other)
        m_waiter = m_holder = -1;
    m_map = QImage();
    if (!hasNumbers() && m_grid.ranks > 0) {
        m_map = QImage(m_grid.ranks, m_grid.ranks, QImage::Format_RGB32);
        for (int waiter = 0; waiter < m_grid.ranks; ++waiter) {
            auto* line = reinterpret_cast<QRgb*>(m_map.scanLine(waiter));
            for (int holder = 0; holder < m_grid.ranks; ++holder)
                line[holder] = colourOf(m_grid.at(waiter, holder)).rgb();
        }
    }
    updateScroll();
    viewport()->update();
}

bool WaitHeatMap::hasNumbers() const {
    return m_grid.ranks <= kMostWithNumbers;
}

QSize WaitHeatMap::cellSize() const {
    if (hasNumbers()) { // lower cells are better than rows out of sight
        const int ranks = std::max(m_grid.ranks, 1), lowest = QFontMetrics(secondaryFont()).height();
        const int wide = (viewport()->width() - kSide) / ranks, high = (viewport()->height() - kHeader) / ranks;
        return {std::clamp(wide, 58, 96), std::clamp(high, std::min(lowest, kRowHeight), kRowHeight)};
    }
    const int px = m_grid.ranks <= 64 ? 12 : m_grid.ranks <= 256 ? 6 : 3;
    return {px, px};
}

QRect WaitHeatMap::cellRect(int waiter, int holder) const {
    const QSize cell = cellSize();
    return {kSide + holder * cell.width() - horizontalScrollBar()->value(),
            kHeader + waiter * cell.height() - verticalScrollBar()->value(), cell.width(), cell.height()};
}

void WaitHeatMap::updateScroll() {
    const QSize cell = cellSize();
    const int width = viewport()->width() - kSide, height = viewport()->height() - kHeader;
    horizontalScrollBar()->setRange(0, std::max(m_grid.ranks * cell.width() - width, 0));
    horizontalScrollBar()->setPageStep(std::max(width, 1));
    verticalScrollBar()->setRange(0, std::max(m_grid.ranks * cell.height() - height, 0));
    verticalScrollBar()->setPageStep(std::max(height, 1));
    horizontalScrollBar()->setSingleStep(cell.width());
    verticalScrollBar()->setSingleStep(cell.height());
}

void WaitHeatMap::paintEvent(QPaintEvent*) {
    QPainter painter(viewport());
    const auto& palette = Theme::instance().palette();
    painter.fillRect(viewport()->rect(), palette.panel);
    if (m_grid.ranks == 0)
        return;
    painter.setFont(secondaryFont());
    painter.setClipRect(kSide, kHeader, viewport()->width() - kSide, viewport()->height() - kHeader);
    if (!m_map.isNull()) {
        const QRect all(cellRect(0, 0).topLeft(), cellSize() * m_grid.ranks);
        painter.drawImage(all, m_map);
        painter.setPen(palette.hairline);
        painter.drawRect(all.adjusted(-1, -1, 0, 0));
    } else {
        for (int waiter = 0; waiter < m_grid.ranks; ++waiter)
            for (int holder = 0; holder < m_grid.ranks; ++holder) {
                const QRect cell = cellRect(waiter, holder).adjusted(0, 0, -1, -1);
                const std::int64_t ns = m_grid.at(waiter, holder);
                const QColor colour = waiter == holder ? palette.raised : colourOf(ns);
                painter.fillRect(cell, colour);
                if (waiter == holder || ns <= 0)
                    continue;
                const QColor ink = textOn(colour);
                painter.fillRect(cell, hatchBrush(blend(colour, textOn(ink), 0.3))); // away from the text's colour
                painter.setPen(ink);
                painter.drawText(cell.adjusted(2, 0, -6, 0), Qt::AlignRight | Qt::AlignVCenter, durationText(ns));
            }
    }
    if (m_waiter >= 0) {
        painter.setPen(QPen(hasFocus() ? palette.accent : palette.text, 2));
        painter.drawRect(cellRect(m_waiter, m_holder).adjusted(0, 0, -1, -1));
    }
    painter.setClipping(false);
    paintHeaders(painter);
}

void WaitHeatMap::paintHeaders(QPainter& painter) const {
    const auto& palette = Theme::instance().palette();
    const QSize cell = cellSize();
    const QFontMetrics metrics(painter.font());
    const int across =
        std::max(1, (metrics.horizontalAdvance(QStringLiteral("rank 1023")) + 8 + cell.width() - 1) / cell.width());
    const int down = std::max(1, (metrics.height() + 4 + cell.height() - 1) / cell.height());
    painter.fillRect(0, 0, viewport()->width(), kHeader, palette.panel);
    painter.fillRect(0, 0, kSide, viewport()->height(), palette.panel);
    painter.setPen(palette.secondary);
    painter.setClipRect(kSide, 0, viewport()->width() - kSide, kHeader);
    for (int holder = 0; holder < m_grid.ranks; holder += across) {
        const QRect at = cellRect(0, holder);
        const bool one = across == 1;
        painter.drawText(QRect(at.left(), 0, one ? at.width() - 7 : at.width() * across, kHeader),
                         (one ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter, ranksText({holder}));
    }
    painter.setClipRect(0, kHeader, kSide, viewport()->height() - kHeader);
    for (int waiter = 0; waiter < m_grid.ranks; waiter += down) {
        const QRect at = cellRect(waiter, 0);
        painter.drawText(QRect(0, at.top(), kSide - 8, std::max(at.height(), metrics.height())),
                         Qt::AlignRight | (down == 1 ? Qt::AlignVCenter : Qt::AlignTop), ranksText({waiter}));
    }
    painter.setClipping(false);
    painter.drawText(QRect(0, 0, kSide - 8, kHeader), Qt::AlignRight | Qt::AlignVCenter, tr("holder →"));
}

bool WaitHeatMap::cellAt(const QPoint& pixel, int& waiter, int& holder) const {
    const QSize cell = cellSize();
    const int x = pixel.x() - kSide + horizontalScrollBar()->value(),
              y = pixel.y() - kHeader + verticalScrollBar()->value();
    if (pixel.x() < kSide || pixel.y() < kHeader || x < 0 || y < 0)
        return false;
    holder = x / cell.width();
    waiter = y / cell.height();
    return holder < m_grid.ranks && waiter < m_grid.ranks;
}

QString WaitHeatMap::cellText(int waiter, int holder) const {
    if (waiter == holder)
        return tr("A rank does not wait for itself.");
    const std::int64_t ns = m_grid.at(waiter, holder);
    if (ns <= 0)
        return tr("Rank %1 did not wait for rank %2.").arg(waiter).arg(holder);
    return tr("Rank %1 waited %2 for rank %3: %4 % of all waits here.")
        .arg(QString::number(waiter), durationText(ns), QString::number(holder),
             QString::number(100.0 * static_cast<double>(ns) / static_cast<double>(m_grid.total), 'f', 1));
}

void WaitHeatMap::setCurrent(int waiter, int holder) {
    if (m_grid.ranks == 0)
        return;
    m_waiter = std::clamp(waiter, 0, m_grid.ranks - 1);
    m_holder = std::clamp(holder, 0, m_grid.ranks - 1);
    const QRect cell = cellRect(m_waiter, m_holder);
    auto show = [](QScrollBar* bar, int from, int to, int begin, int end) {
        if (from < begin)
            bar->setValue(bar->value() - (begin - from));
        else if (to > end)
            bar->setValue(bar->value() + (to - end));
    };
    show(horizontalScrollBar(), cell.left(), cell.right(), kSide, viewport()->width() - 1);
    show(verticalScrollBar(), cell.top(), cell.bottom(), kHeader, viewport()->height() - 1);
    setToolTip(QString());
    setAccessibleDescription(cellText(m_waiter, m_holder));
    viewport()->update();
    emit currentChanged(m_waiter, m_holder);
}

void WaitHeatMap::mousePressEvent(QMouseEvent* event) {
    int waiter = 0, holder = 0;
    if (cellAt(event->position().toPoint(), waiter, holder))
        setCurrent(waiter, holder);
}

void WaitHeatMap::keyPressEvent(QKeyEvent* event) {
    if (event->matches(QKeySequence::Copy))
        return copy();
    const int far = hasNumbers() ? m_grid.ranks : 32;
    struct CellMove {
        int key, down, right;
    };
    const CellMove moves[] = {{Qt::Key_Up, -1, 0},
                              {Qt::Key_Down, 1, 0},
                              {Qt::Key_Left, 0, -1},
                              {Qt::Key_Right, 0, 1},
                              {Qt::Key_PageUp, -far, 0},
                              {Qt::Key_PageDown, far, 0},
                              {Qt::Key_Home, 0, -m_grid.ranks},
                              {Qt::Key_End, 0, m_grid.ranks}};
    const CellMove* move = std::ranges::find(moves, event->key(), &CellMove::key);
    if (move == std::end(moves))
        return QAbstractScrollArea::keyPressEvent(event);
    m_waiter < 0 ? setCurrent(0, 0) : setCurrent(m_waiter + move->down, m_holder + move->right);
}

void WaitHeatMap::contextMenuEvent(QContextMenuEvent* event) {
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->addAction(tr("Copy as a table"), this, &WaitHeatMap::copy);
    menu->popup(event->globalPos());
}

void WaitHeatMap::copy() const {
    if (m_grid.ranks > 0)
        copyText(gridAsText(m_grid), this);
}

void WaitHeatMap::resizeEvent(QResizeEvent* event) {
    QAbstractScrollArea::resizeEvent(event);
    updateScroll();
}

bool WaitHeatMap::viewportEvent(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        int waiter = 0, holder = 0;
        if (cellAt(help->pos(), waiter, holder))
            QToolTip::showText(help->globalPos(), cellText(waiter, holder), viewport());
        else
            QToolTip::hideText();
        return true;
    }
    return QAbstractScrollArea::viewportEvent(event);
}

} // namespace rankscope::ui
