// SPDX-License-Identifier: GPL-3.0-or-later
// Plots one metric of several runs in one chart. The wheel zooms, dragging pans, a double-click shows everything.
#pragma once

#include "core/base/values/error.h"
#include "widgets/plots/axes/plot_range.h"
#include "widgets/plots/axes/plot_ticker.h"
#include "widgets/plots/axes/sample_reduction.h"
#include "widgets/plots/plot/plot_background.h"
#include "widgets/runs_page/curves/run_curve.h"
#include "widgets/runs_page/curves/run_names.h"

#include <qcustomplot.h>

namespace rankscope::ui {

class ReadoutItem;

struct CompareLine {
    QString id; ///< of a run or a group, constant during a comparison
    RunName name;
    QString tip;
    int runs = 1; ///< number of runs in a group
    QPen pen;
    Samples samples;
    bool hidden = false;
    bool identical = false; ///< it coincides with an earlier line's curve
};

class ComparePlot final : public QCustomPlot {
    Q_OBJECT
public:
    explicit ComparePlot(QWidget* parent = nullptr);

    void setLines(std::vector<CompareLine> lines);
    const std::vector<CompareLine>& lines() const { return m_lines; }
    void setHidden(int line, bool hidden);
    /// Sets the metric that is shown; the unit "s" means durations.
    void setMetric(const QString& title, const QString& unit, CurveAxis axis);
    void setLogScale(bool on);
    void setSmoothing(bool on);
    void setBand(bool on);
    void showAll();
    bool isDrawn() const { return !m_rebuild->isActive() && !m_pending; }
    /// Returns the curves as text; `separator` is ',' or '\t'.
    QString csv(QChar separator = QLatin1Char(',')) const;
    Result<void> exportTo(const QString& file, const QString& title);

protected:
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    struct Graphs {
        QCPGraph *lower, *upper, *line;
    };
    void applyTheme();
    void rebuild();
    void rebuildLater();
    void fitY(const std::vector<Samples>& shown);
    void applyTicks();
    void draw(const Graphs& graphs, const CompareLine& line, const Samples& samples, double floor) const;
    void setHover(std::optional<double> x);
    QString valueText(const CompareLine& line, const Sample& sample) const;
    QString placeText(double x) const;
    PlotRange limits() const;

    std::vector<CompareLine> m_lines;
    std::vector<Graphs> m_graphs;
    QList<IncidentSpan> m_noSpans;
    PlotFrameItem* m_frame;
    ReadoutItem* m_readout;
    QSharedPointer<PlotTicker> m_xTicker, m_yTicker;
    QTimer* m_rebuild;
    QString m_title, m_unit;
    CurveAxis m_axis = CurveAxis::Step;
    bool m_log = false, m_smooth = false, m_band = true, m_whole = true, m_pending = false, m_setting = false;
};

} // namespace rankscope::ui
