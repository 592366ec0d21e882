// SPDX-License-Identifier: GPL-3.0-or-later
// Draws all curves of a plot into one picture, so that a frame costs the same however jagged they are. For vector
// output (PDF, SVG) the graphs draw themselves instead.
#pragma once

#include "widgets/plots/curves/column_raster.h"

#include <qcustomplot.h>

#include <vector>

namespace rankscope::ui {

/// A graph that is drawn on the screen by its canvas.
class CanvasGraph final : public QCPGraph {
public:
    explicit CanvasGraph(QCustomPlot* plot) : QCPGraph(plot->xAxis, plot->yAxis) {}

protected:
    void draw(QCPPainter* painter) override {
        if (painter->modes().testFlag(QCPPainter::pmVectorized))
            QCPGraph::draw(painter);
    }
};

class CurveCanvas final : public QCPAbstractItem {
public:
    explicit CurveCanvas(QCustomPlot* plot) : QCPAbstractItem(plot) {}
    double selectTest(const QPointF&, bool, QVariant*) const override { return -1; }

    /// Kinds in drawing order; graphs of one kind are drawn in the order in which they were added.
    enum StrokeKind { Area, Extent, Faint, Line };
    void add(StrokeKind kind, const QCPGraph* graph) { m_graphs.push_back({kind, graph}); }

protected:
    void draw(QCPPainter* painter) override;

private:
    struct DrawnGraph {
        StrokeKind kind;
        const QCPGraph* graph;
    };
    /// A graph in pixels, with the data needed for drawing and nothing that belongs to the window's thread.
    struct Stroke {
        bool area = false;
        std::vector<RasterPoint> points, others; ///< others: the lower edge of an area
        ColumnRaster::Style style;
        double disc = 0; ///< diameter of a dot at each point; 0: none
    };
    void pixelsOf(const QCPGraph& graph, double scale, std::vector<RasterPoint>& points) const;
    bool setArea(Stroke& stroke, const QCPGraph& graph, double scale) const;
    void setLine(Stroke& stroke, const QCPGraph& graph, StrokeKind kind, double scale) const;
    void drawShared(QSize size);
    void drawColumns(QSize size, ColumnRaster::Range range, std::uint32_t* bits, std::ptrdiff_t stride);

    std::vector<DrawnGraph> m_graphs;
    QImage m_image;
    std::vector<std::uint32_t> m_columns;
    std::vector<Stroke> m_strokes; ///< memory kept from frame to frame
    std::size_t m_used = 0;        ///< number of strokes in use
};

} // namespace rankscope::ui
