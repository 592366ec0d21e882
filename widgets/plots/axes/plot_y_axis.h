// SPDX-License-Identifier: GPL-3.0-or-later
// The y axis of a plot: fitted to the visible values, without outliers if they are ignored, or zoomed by the user with
// wheel and drag on the axis or Ctrl and wheel anywhere. Values beyond the range are marked at the edge.
#pragma once

#include "widgets/plots/axes/plot_range.h"
#include "widgets/plots/axes/sample_reduction.h"

#include <qcustomplot.h>

#include <optional>
#include <span>
#include <vector>

class QToolButton;

namespace rankscope::ui {

/// Returns the extent without outliers, which are values further beyond the middle 80 % than one and a half times its
/// width. If there are few values, or nearly all are the same, none is an outlier and all count.
Extent typicalExtent(std::span<const Samples* const> curves, PlotRange window, bool log);

/// A section of a curve beyond the y range, given by its furthest value.
struct CutPeak {
    double x = 0, y = 0;
    bool above = true;
    friend bool operator==(const CutPeak&, const CutPeak&) = default;
};
std::vector<CutPeak> cutPeaks(const Samples& samples, PlotRange window, PlotRange y);

/// Zooms around `centre`, which keeps its place; `factor` < 1 zooms in. On a log scale both ends are positive.
PlotRange zoomedY(PlotRange y, double centre, double factor, bool log);
/// Moves the range so that the value at `from` is at `to` afterwards.
PlotRange movedY(PlotRange y, double from, double to, bool log);

/// Draws marks for values beyond the y range, and the interval that is being dragged on the axis.
class OffscaleMarks final : public QCPAbstractItem {
public:
    struct OffscaleMark {
        CutPeak peak;
        QColor colour;
    };

    explicit OffscaleMarks(QCustomPlot* plot) : QCPAbstractItem(plot) { setClipToAxisRect(false); }
    double selectTest(const QPointF&, bool, QVariant*) const override { return -1; }

    std::vector<OffscaleMark> marks; ///< ascending in x for each colour
    std::optional<PlotRange> dragged;

protected:
    void draw(QCPPainter* painter) override;
};

class PlotYAxis final : public QObject {
    Q_OBJECT
public:
    /// A drawn curve.
    struct AxisCurve {
        const Samples* samples = nullptr;
        QColor colour;
    };

    explicit PlotYAxis(QCustomPlot* plot);

    bool ignoresOutliers() const { return m_ignoresOutliers; }
    void setIgnoreOutliers(bool on);
    /// Returns the range set by the user; none if the axis is fitted to the visible values.
    std::optional<PlotRange> byHand() const { return m_byHand; }
    void setByHand(std::optional<PlotRange> range);
    void zoom(double factor); ///< around the middle

    /// Returns the extent that the axis should cover: all of it, or without outliers.
    Extent reach(const Extent& all, std::span<const AxisCurve> curves, PlotRange window, bool log) const;
    /// Replaces the fitted range by the user's.
    void applyByHand(bool log);
    void showCuts(std::span<const AxisCurve> curves, PlotRange window);
    bool hasCuts() const { return !m_decor->marks.empty(); } ///< shown by the last showCuts()
    QStringList remarks() const;                             ///< for the title's line
    int resetWidth() const; ///< width of the button that undoes what the remarks name; 0: no button

    /// Returns whether a point is on the axis's figures.
    bool covers(QPointF at) const;
    QString toolTip() const;

    // each returns whether the event was for the axis
    bool wheel(const QWheelEvent& event);
    bool press(const QMouseEvent& event);
    bool move(const QMouseEvent& event);
    bool release(const QMouseEvent& event);
    bool doubleClick(const QMouseEvent& event);
    bool key(const QKeyEvent& event);

signals:
    void changed(); ///< the plot must be fitted again
    void ignoreOutliersChanged(bool on);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    enum class AxisDrag { None, Interval, Move };

    /// Returns whether there is something to undo: the user's range, or outliers that are really left out.
    bool isCut() const;
    void undo();
    void updateReset();
    void placeReset();
    PlotRange shown() const { return {m_plot->yAxis->range().lower, m_plot->yAxis->range().upper}; }
    double valueAt(double pixel) const;
    bool isLog() const { return m_plot->yAxis->scaleType() == QCPAxis::stLogarithmic; }

    QCustomPlot* m_plot;
    OffscaleMarks* m_decor;
    QToolButton* m_reset;
    std::optional<PlotRange> m_byHand;
    bool m_ignoresOutliers = false;
    AxisDrag m_drag = AxisDrag::None;
    double m_from = 0; ///< pixel
};

} // namespace rankscope::ui
