// SPDX-License-Identifier: GPL-3.0-or-later
// The y axis of a plot: fitted to what is seen, without outliers where they are to be ignored, or as the user zoomed
// it. Wheel and drag on the axis, Ctrl and wheel anywhere; what lies beyond the range is marked at the edge.
#pragma once

#include "widgets/plots/axes/plot_range.h"
#include "widgets/plots/axes/sample_reduction.h"

#include <qcustomplot.h>

#include <optional>
#include <span>
#include <vector>

class QToolButton;

namespace rankscope::ui {

/// The extent without outliers: values that lie further beyond the middle 80 % than one and a half times its width.
/// Few values, or values that are nearly all the same, have no outliers: then all of them count.
Extent typicalExtent(std::span<const Samples* const> curves, PlotRange window, bool log);

/// A stretch of a curve beyond the y range, at its furthest value.
struct CutPeak {
    double x = 0, y = 0;
    bool above = true;
    friend bool operator==(const CutPeak&, const CutPeak&) = default;
};
std::vector<CutPeak> cutPeaks(const Samples& samples, PlotRange window, PlotRange y);

/// `factor` < 1 zooms in; what lies at `centre` stays there. On a log scale both ends are positive.
PlotRange zoomedY(PlotRange y, double centre, double factor, bool log);
/// What was at `from` comes to lie at `to`.
PlotRange movedY(PlotRange y, double from, double to, bool log);

/// Marks of what lies beyond the y range, and the interval that is being dragged on the axis.
class YDecor final : public QCPAbstractItem {
public:
    struct Mark {
        CutPeak peak;
        QColor colour;
    };

    explicit YDecor(QCustomPlot* plot) : QCPAbstractItem(plot) { setClipToAxisRect(false); }
    double selectTest(const QPointF&, bool, QVariant*) const override { return -1; }

    std::vector<Mark> marks; ///< ascending in x for each colour
    std::optional<PlotRange> dragged;

protected:
    void draw(QCPPainter* painter) override;
};

class PlotYAxis final : public QObject {
    Q_OBJECT
public:
    /// A curve as it is drawn.
    struct Curve {
        const Samples* samples = nullptr;
        QColor colour;
    };

    explicit PlotYAxis(QCustomPlot* plot);

    bool ignoresOutliers() const { return m_ignoresOutliers; }
    void setIgnoreOutliers(bool on);
    /// As the user zoomed it; none: it follows what is seen.
    std::optional<PlotRange> byHand() const { return m_byHand; }
    void setByHand(std::optional<PlotRange> range);
    void zoom(double factor); ///< around the middle

    /// What the axis is to reach over: all of it, or without outliers.
    Extent reach(const Extent& all, std::span<const Curve> curves, PlotRange window, bool log) const;
    /// Puts the range by hand in the place of the fitted one.
    void applyByHand(bool log);
    void showCuts(std::span<const Curve> curves, PlotRange window);
    QStringList remarks() const; ///< for the title's line
    int resetWidth() const;      ///< of the button that undoes what the remarks say; 0: there is none

    /// On the axis's figures.
    bool covers(QPointF at) const;
    QString toolTip() const;

    // each says whether the event was for the axis
    bool wheel(const QWheelEvent& event);
    bool press(const QMouseEvent& event);
    bool move(const QMouseEvent& event);
    bool release(const QMouseEvent& event);
    bool doubleClick(const QMouseEvent& event);
    bool key(const QKeyEvent& event);

signals:
    void changed(); ///< the plot is to be fitted again
    void ignoreOutliersChanged(bool on);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    enum class Drag { None, Interval, Move };

    /// There is something to undo: where no value was left out, nothing is said.
    bool isCut() const;
    void undo();
    void updateReset();
    void placeReset();
    PlotRange shown() const { return {m_plot->yAxis->range().lower, m_plot->yAxis->range().upper}; }
    double valueAt(double pixel) const;
    bool isLog() const { return m_plot->yAxis->scaleType() == QCPAxis::stLogarithmic; }

    QCustomPlot* m_plot;
    YDecor* m_decor;
    QToolButton* m_reset;
    std::optional<PlotRange> m_byHand;
    bool m_ignoresOutliers = false;
    Drag m_drag = Drag::None;
    double m_from = 0; ///< pixel
};

} // namespace rankscope::ui
