// SPDX-License-Identifier: GPL-3.0-or-later
// Draws everything around the curves: incident spans behind them, title, marks on the axis, the brush.
#pragma once

#include "widgets/plots/axes/plot_range.h"
#include "widgets/plots/plot/plot_spec.h"

#include <QList>
#include <QString>
#include <qcustomplot.h>

#include <optional>
#include <vector>

namespace rankscope::ui {

/// Returns the pixels of a span on an axis rect, at least three wide and clipped; none if it is outside.
std::optional<std::pair<double, double>> spanPixels(const IncidentSpan& span, const QCPAxis& axis);

/// Draws incident spans at 14 % opacity, below the grid.
class IncidentSpanItem final : public QCPAbstractItem {
public:
    IncidentSpanItem(QCustomPlot* plot, const QList<IncidentSpan>& spans);
    double selectTest(const QPointF&, bool, QVariant*) const override { return -1; }

protected:
    void draw(QCPPainter* painter) override;

private:
    const QList<IncidentSpan>& m_spans;
};

/// Draws the parts above the curves, also outside the axis rect.
class PlotFrameItem final : public QCPAbstractItem {
public:
    static constexpr double kMarkPx = 9, kHolderLinePx = 3;

    PlotFrameItem(QCustomPlot* plot, const QList<IncidentSpan>& spans);
    double selectTest(const QPointF&, bool, QVariant*) const override { return -1; }

    QString title, unit, remark;
    int remarkInset = 0; ///< pixels reserved at the right end of the title's line
    bool showMarks = false;
    bool focused = false; ///< has the keyboard focus
    bool grip = false;    ///< the title can be dragged
    bool pinned = false;  ///< it stays above other plots
    qint64 selectedSpan = 0;
    std::vector<double> notFinite;  ///< x of steps with a value that is not finite
    std::optional<PlotRange> brush; ///< being dragged
    QString nothing;                ///< text in the middle of a plot without a value

    /// Returns the pen of a rank's line: a wider one while the rank holds up others in an open incident, or if it did
    /// in the selected one.
    QPen linePen(int rank) const;
    /// Returns the span whose mark is under a pixel; null if there is none.
    const IncidentSpan* markAt(const QPointF& pixel) const;

protected:
    void draw(QCPPainter* painter) override;

private:
    QPointF markTip(const IncidentSpan& span) const;
    void drawTitle(QCPPainter* painter) const;
    void drawGrip(QCPPainter* painter) const;
    void drawPin(QCPPainter* painter) const;
    void drawMarks(QCPPainter* painter) const;
    /// Draws a bar on the axis that is as long as the incident, however many steps it covers.
    void drawTimeBar(QCPPainter* painter, const IncidentSpan& span) const;
    void drawNotFinite(QCPPainter* painter) const;
    void drawBrush(QCPPainter* painter) const;
    void drawNothing(QCPPainter* painter) const;

    const QList<IncidentSpan>& m_spans;
};

} // namespace rankscope::ui
