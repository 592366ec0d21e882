// SPDX-License-Identifier: GPL-3.0-or-later
// The graphs of one rank in one plot: the line, the faint raw curve if the line is smoothed, and the vertical extent of
// buckets, so that no spike is lost between pixels.
#pragma once

#include "widgets/plots/axes/sample_reduction.h"
#include "widgets/plots/curves/curve_canvas.h"

#include <limits>

namespace rankscope::ui {

struct CurveStyle {
    QPen pen;
    double floor = -std::numeric_limits<double>::infinity(); ///< on a log axis, lower values are drawn here
    bool points = false;                                     ///< few samples: dots, so that a single one is visible
};

class RankCurves {
public:
    RankCurves(QCustomPlot* plot, CurveCanvas* canvas);
    void show(const Samples& samples, const CurveStyle& style);
    void showSmoothed(const Samples& samples, const Samples& smoothed, const CurveStyle& style);
    void hide();
    const QCPGraph* line() const { return m_line; }
    const QCPGraph* raw() const { return m_raw; }
    const QCPGraph* envelope() const { return m_envelope; }

private:
    void showLine(const Samples& samples, const Samples& line, const CurveStyle& style, double extentAlpha);

    QCPGraph* m_envelope;
    QCPGraph* m_raw;
    QCPGraph* m_line;
};

/// A band from the smallest to the largest value over all ranks, with their mean as a line.
class BandCurves {
public:
    BandCurves(QCustomPlot* plot, CurveCanvas* canvas);
    void show(const Samples& band, double floor, bool withMean);
    void hide();
    const QCPGraph* upper() const { return m_upper; }
    const QCPGraph* lower() const { return m_lower; }

private:
    QCPGraph *m_lower, *m_upper, *m_mean;
};

/// A sparse curve that does not belong to a rank: a diamond at each value, joined by a dashed line in the text colour.
/// At the edges of the plot its line ends, but its marks are drawn whole.
class ReferenceGraph final : public QCPGraph {
public:
    explicit ReferenceGraph(QCustomPlot* plot) : QCPGraph(plot->xAxis, plot->yAxis) {}

protected:
    QRect clipRect() const override;
    void drawLinePlot(QCPPainter* painter, const QVector<QPointF>& lines) const override;
    void drawScatterPlot(QCPPainter* painter, const QVector<QPointF>& scatters,
                         const QCPScatterStyle& style) const override;
};

class ReferenceCurve {
public:
    explicit ReferenceCurve(QCustomPlot* plot);
    void show(const Samples& samples, double floor); ///< hidden if there are no samples
    const QCPGraph* line() const { return m_line; }
    static QPen pen();

private:
    QCPGraph* m_line;
};

} // namespace rankscope::ui
