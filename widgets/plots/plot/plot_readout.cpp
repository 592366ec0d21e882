// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/plots/plot/plot_readout.h"

#include "widgets/theme/theme.h"

#include <QVarLengthArray>

#include <algorithm>
#include <cmath>

namespace rankscope::ui {

namespace {
constexpr double kPad = 8;
constexpr double kSwatch = 14;
constexpr double kGap = 6;
constexpr double kColumnGap = 14;
} // namespace

ReadoutLayout layoutReadout(int cells, double cellWidth, double rowHeight, double headerWidth, double maxHeight) {
    ReadoutLayout layout;
    const double room = maxHeight - 2 * kPad - rowHeight;
    const int fit = std::max(1, static_cast<int>(std::floor(room / rowHeight)));
    layout.columns = cells == 0 ? 0 : (cells + fit - 1) / fit;
    layout.rows = layout.columns ? (cells + layout.columns - 1) / layout.columns : 0;
    const double width = layout.columns * cellWidth + std::max(0, layout.columns - 1) * kColumnGap;
    layout.size = QSizeF(std::max(width, headerWidth) + 2 * kPad, (layout.rows + 1) * rowHeight + 2 * kPad - 4);
    return layout;
}

ReadoutItem::ReadoutItem(QCustomPlot* plot) : QCPAbstractItem(plot) {
    setClipToAxisRect(false); // in a low plot the box may cover the title, too
}

void ReadoutItem::draw(QCPPainter* painter) {
    if (!x)
        return;
    const QRect rect = mParentPlot->axisRect()->rect();
    const double px = mParentPlot->xAxis->coordToPixel(*x);
    if (px < rect.left() - 1 || px > rect.right() + 1)
        return;
    const auto& palette = Theme::instance().palette();
    painter->setPen(QPen(palette.secondary, 1));
    painter->setAntialiasing(false);
    painter->drawLine(QLineF(px, rect.top(), px, rect.bottom()));
    painter->setAntialiasing(true);
    for (const auto& cell : cells) {
        if (!cell.y || !mParentPlot->yAxis->range().contains(*cell.y))
            continue;
        painter->setPen(QPen(palette.panel, 1));
        painter->setBrush(cell.pen.color());
        painter->drawEllipse(QPointF(px, mParentPlot->yAxis->coordToPixel(*cell.y)), 3.5, 3.5);
    }
    if (showBox)
        drawBox(painter, px);
}

void ReadoutItem::drawBox(QCPPainter* painter, double px) const {
    const auto& palette = Theme::instance().palette();
    const QRect rect = mParentPlot->viewport().adjusted(0, 1, 0, -1);
    const QFontMetricsF metrics(mParentPlot->font());
    double names = 0, values = 0;
    QVarLengthArray<double, 32> widths; ///< of values
    for (const auto& cell : cells) {
        names = std::max(names, metrics.horizontalAdvance(cell.name));
        widths.append(metrics.horizontalAdvance(cell.value));
        values = std::max(values, widths.back());
    }
    const double cellWidth = kSwatch + kGap + names + 2 * kGap + values;
    const double row = std::ceil(metrics.height());
    const auto layout =
        layoutReadout(static_cast<int>(cells.size()), cellWidth, row, metrics.horizontalAdvance(header), rect.height());
    double left = px + 12;
    if (left + layout.size.width() > rect.right() - 2)
        left = px - 12 - layout.size.width();
    left = std::clamp<double>(left, rect.left() + 2,
                              std::max<double>(rect.left() + 2, rect.right() - layout.size.width()));
    const QRect area = mParentPlot->axisRect()->rect();
    const double top = area.top() + 2 + layout.size.height() <= area.bottom() ? area.top() + 2.0 : rect.top();
    const QRectF box(QPointF(std::round(left), top), layout.size);
    painter->setBrush(withAlpha(palette.panel, 0.94F));
    painter->setPen(QPen(palette.hairline, 1));
    painter->drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
    painter->setFont(mParentPlot->font());
    painter->setPen(palette.secondary);
    painter->drawText(QRectF(box.left() + kPad, box.top() + kPad - 3, box.width() - 2 * kPad, row),
                      static_cast<int>(Qt::AlignLeft | Qt::AlignVCenter), header);
    for (int i = 0; i < cells.size(); ++i) {
        const int column = i / layout.rows, line = i % layout.rows;
        const QRectF at(box.left() + kPad + column * (cellWidth + kColumnGap), box.top() + kPad - 2 + (line + 1) * row,
                        cellWidth, row);
        QPen pen = cells[i].pen;
        pen.setWidthF(2);
        painter->setPen(pen);
        painter->drawLine(QLineF(at.left(), at.center().y(), at.left() + kSwatch, at.center().y()));
        painter->setPen(palette.text);
        // at a point: for a rectangle the text would be laid out again
        const double baseline = at.center().y() + (metrics.ascent() - metrics.descent()) / 2;
        painter->drawText(QPointF(at.left() + kSwatch + kGap, baseline), cells[i].name);
        painter->drawText(QPointF(at.right() - widths[i], baseline), cells[i].value);
    }
}

} // namespace rankscope::ui
