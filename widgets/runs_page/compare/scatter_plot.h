// SPDX-License-Identifier: GPL-3.0-or-later
// Plots one point per run: a setting (a number, or categories side by side) against a figure. Hovering shows the run's
// name, a click chooses the run.
#pragma once

#include "widgets/plots/axes/plot_ticker.h"
#include "widgets/plots/plot/plot_background.h"
#include "widgets/runs_page/filter/run_fields.h"

#include <qcustomplot.h>

#include <optional>

namespace rankscope::ui {

struct ScatterPoint {
    double x = 0, y = 0;
    QString name, dir, xText, yText;
    QColor colour;
};

struct ScatterData {
    std::vector<ScatterPoint> points; ///< of the runs that have both values
    QStringList categories;           ///< empty: x is a number; otherwise x is an index into them
    int missing = 0;                  ///< runs that lack at least one of the two
};
/// Returns the points of the runs; `colours` are by run. x is numeric if all values are numbers, otherwise categories
/// in alphabetical order are used.
ScatterData scatterOf(const QList<RunRow>& runs, const QList<QColor>& colours, const RunField& x, const RunField& y,
                      qint64 nowNs);

class ScatterPlot final : public QCustomPlot {
    Q_OBJECT
public:
    explicit ScatterPlot(QWidget* parent = nullptr);
    void setData(ScatterData data, const QString& xTitle, const RunField& y);
    const ScatterData& data() const { return m_data; }
    QPointF pixelOf(int point) const;
    QString csv(QChar separator = QLatin1Char(',')) const; ///< or '\t'
    Result<void> exportTo(const QString& file, const QString& title);

signals:
    void clicked(const QString& dir);

protected:
    void resizeEvent(QResizeEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;

private:
    void applyTheme();
    void nameCategories(); ///< labels the axis with the categories, shortened to the room that each has
    const ScatterPoint* pointAt(const QPointF& pixel) const;

    ScatterData m_data;
    QString m_xTitle;
    RunField m_y;
    QList<IncidentSpan> m_noSpans;
    PlotFrameItem* m_frame;
    QSharedPointer<PlotTicker> m_yTicker, m_xTicker;
    QSharedPointer<QCPAxisTickerText> m_categories;
};

} // namespace rankscope::ui
