// SPDX-License-Identifier: GPL-3.0-or-later
// The time in which no supervisor watched the ranks: a grey band behind the curves, with its name where it has room.
#pragma once

#include "widgets/plots/axes/plot_range.h"

#include <QString>
#include <qcustomplot.h>

#include <vector>

namespace rankscope::ui {

class UnwatchedBands final : public QCPAbstractItem {
public:
    explicit UnwatchedBands(QCustomPlot* plot) : QCPAbstractItem(plot) {}
    double selectTest(const QPointF&, bool, QVariant*) const override { return -1; }

    std::vector<PlotRange> ranges; ///< on the x axis
    QString label;

    static QColor colour(); ///< of the bands, translucent
    bool isInSight() const; ///< whether a part of a band is in the plot

protected:
    void draw(QCPPainter* painter) override;

private:
    QRectF band(const PlotRange& range) const; ///< in pixels, at least one wide; empty: not in the plot
};

} // namespace rankscope::ui
