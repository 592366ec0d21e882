// SPDX-License-Identifier: GPL-3.0-or-later
// Shows the whole run in a strip, with the window of the plots: drag an edge, drag the window, or brush a new one.
#pragma once

#include "widgets/plots/axes/plot_range.h"
#include "widgets/plots/axes/sample_reduction.h"
#include "widgets/plots/plot/plot_spec.h"

#include <QImage>
#include <QList>
#include <QWidget>

namespace rankscope::ui {

/// Converts between pixels and x, and finds the part that a press at a pixel grabs.
struct BrushGeometry {
    enum class BrushPart { None, Left, Right, Window, Outside };

    static constexpr double kHandlePx = 6; ///< distance from an edge at which a press grabs it
    static constexpr double kMinWindowPx = 8;

    double left = 0, right = 1; ///< pixels of the strip's content
    PlotRange whole, window;

    double toPixel(double x) const;
    double toX(double pixel) const;
    /// Edges of the window as drawn, which is never too narrow to be grabbed.
    double windowLeft() const;
    double windowRight() const;
    BrushPart partAt(double pixel) const;
    /// Returns the window after `part` was pressed at `from`, with `start` as the window, and dragged to `to`.
    PlotRange dragged(BrushPart part, PlotRange start, double from, double to, double minWidth) const;
};

class OverviewStrip final : public QWidget {
    Q_OBJECT
public:
    explicit OverviewStrip(QWidget* parent = nullptr);

    void setBand(Samples band); ///< the loss over all ranks
    const Samples& band() const { return m_band; }
    void setRanges(PlotRange whole, PlotRange window, double minWidth);
    void setSpans(QList<IncidentSpan> spans, qint64 selected);
    const QList<IncidentSpan>& spans() const { return m_spans; }
    /// Sets the places where runs were resumed from each other.
    void setJoints(std::vector<double> joints) { set(m_joints, std::move(joints)); }
    void setAxis(CurveAxis axis) { set(m_axis, axis); }
    void setFilter(std::optional<PlotRange> filter) { set(m_filter, filter); }
    BrushGeometry geometryNow() const; ///< for tests
    QSize sizeHint() const override { return {400, 52}; }

signals:
    void windowChanged(rankscope::ui::PlotRange window);
    void reset();
    void incidentClicked(qint64 id);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    template <class T> void set(T& member, T value) {
        if (value == member)
            return;
        member = std::move(value);
        update();
    }
    void retranslate();
    QRectF content() const;
    void drawCurve(QPainter& painter);
    void paintCurve(QImage& image) const;
    void drawSpans(QPainter& painter) const;
    void drawJoints(QPainter& painter) const;
    void drawWindow(QPainter& painter) const;
    void drawLabels(QPainter& painter) const;
    QString label(double x) const;
    const IncidentSpan* markAt(const QPointF& pixel) const;

    Samples m_band;
    QImage m_curve; ///< of content(), in device pixels; null: to be redrawn
    PlotRange m_curveOf;
    PlotRange m_whole{0, 1}, m_window{0, 1};
    double m_minWidth = 0;
    QList<IncidentSpan> m_spans;
    std::vector<double> m_joints;
    qint64 m_selected = 0;
    CurveAxis m_axis = CurveAxis::Step;
    std::optional<PlotRange> m_filter;
    BrushGeometry::BrushPart m_part = BrushGeometry::BrushPart::None;
    PlotRange m_start;
    double m_from = 0;
};

} // namespace rankscope::ui
