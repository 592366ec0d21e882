// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/plots/axes/plot_style.h"

#include "widgets/theme/theme.h"

#include <qcustomplot.h>

namespace rankscope::ui {

int plotLeftMargin(const QFont& font) {
    return QFontMetrics(font).horizontalAdvance(QStringLiteral("−88,888")) + 16;
}

void prepareAxes(QCustomPlot* plot) {
    for (auto* axis : {plot->xAxis, plot->yAxis}) {
        axis->setSubTicks(false);
        axis->setTickLength(0, 0);
        axis->setTickLabelPadding(6);
    }
    plot->axisRect()->setAutoMargins(QCP::msNone);
}

void styleAxes(QCustomPlot* plot) {
    const auto& palette = Theme::instance().palette();
    QFont small = plot->QWidget::font();
    small.setPointSizeF(9);
    plot->setFont(small);
    plot->setBackground(palette.panel);
    const QPen hairline(palette.hairline, 1);
    for (auto* axis : {plot->xAxis, plot->yAxis}) {
        axis->setBasePen(axis == plot->xAxis ? hairline : QPen(Qt::NoPen));
        axis->setTickPen(hairline);
        axis->setTickLabelColor(palette.secondary);
        axis->setLabelColor(palette.secondary);
        axis->setTickLabelFont(small);
        axis->setLabelFont(small);
        axis->grid()->setPen(hairline);
        axis->grid()->setZeroLinePen(hairline);
    }
}

void setPlotMargins(QCustomPlot* plot, bool xLabels) {
    constexpr int kBottomAlone = 8;
    const int line = QFontMetrics(plot->font()).height();
    plot->axisRect()->setMargins(QMargins(plotLeftMargin(plot->font()), kPlotTopMargin, kPlotRightMargin,
                                          xLabels ? 2 * line + 14 : kBottomAlone));
    plot->xAxis->setTickLabels(xLabels);
    plot->xAxis->setLabelPadding(2);
}

} // namespace rankscope::ui
