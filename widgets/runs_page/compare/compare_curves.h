// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/models/base/background_task.h"
#include "widgets/runs_page/curves/run_colours.h"
#include "widgets/runs_page/curves/run_curve.h"
#include "widgets/runs_page/curves/run_names.h"
#include "widgets/runs_page/filter/run_fields.h"

#include <QWidget>

#include <vector>

class QCheckBox;
class QComboBox;
class QLabel;
class QListWidget;
class QScrollArea;
class QSplitter;
class QToolButton;

namespace rankscope::ui {

class CompareChart;
class ComparePlot;
struct CompareLine;

/// Shows the curves of compared runs: a chart, more charts of other metrics below it, and one legend for all of them.
/// Chooses the colour of each run.
class CompareCurves final : public QWidget {
    Q_OBJECT
public:
    static constexpr qsizetype kMostCurves = 64; ///< more are not drawn, and the page says so
    static constexpr std::size_t kMostCharts = 6;

    explicit CompareCurves(QWidget* parent = nullptr);

    /// Shows these runs. The first one is the baseline; `names` are by run. With fewer than two the charts are empty.
    void setRuns(const QList<RunRow>& runs, const QList<RunName>& names);
    /// Loads the curves of the same runs again.
    void updateRuns(const QList<RunRow>& runs, const QList<RunName>& names);
    void cancel(); ///< cancels what is being loaded for the first chart
    bool isComplete() const;
    /// Returns the colours by run. A run keeps its colour as long as the window exists, or has that of its value of the
    /// chosen setting; without one, the baseline has the colour of text.
    QList<QColor> colours() const;
    ComparePlot* plot() const { return m_plot; } ///< the first chart's plot
    void retranslate();

signals:
    void coloursChanged(); ///< another setting was chosen to colour by

private:
    void build();
    void connectAll();
    void fillBoxes();
    void fillColours();
    void chooseColours();
    void load();
    void take(const CompareReply& reply);
    void takeInto(CompareChart* chart, const CompareReply& reply);
    std::vector<CompareLine> linesOf(const CompareReply& reply, QStringList& missing) const;
    std::vector<CompareLine> groupsOf(std::vector<CompareLine> runs) const;
    static void markIdentical(std::vector<CompareLine>& lines);
    QString legendText(std::size_t line, const QString& name) const;
    bool isGrouped() const;
    bool isBaseline(std::size_t line) const { return line == 0 && !isGrouped(); }
    void addChart();
    void removeChart(CompareChart* chart);
    template <class Call> void eachPlot(Call call);
    QString seedRemark() const;
    void fillLegend();
    int fitLegend();
    CurveRequest request() const;

    QList<RunRow> m_runs;
    QList<RunName> m_names; ///< by run
    RunColours m_colours;
    BackgroundTask m_loader{QStringLiteral("compare")};
    ComparePlot* m_plot;
    QListWidget* m_legend;
    QLabel* m_missing;
    QComboBox *m_metric, *m_axis, *m_ranks;
    QCheckBox *m_band, *m_log, *m_smooth;
    QSplitter* m_plots;
    QScrollArea* m_scroll; ///< lets many charts keep their minimum height
    QLabel* m_loading;     ///< shown in place of the plots until there is something to draw
    QToolButton* m_add;
    QComboBox* m_colourBy;
    QCheckBox* m_group;
    std::vector<CompareChart*> m_charts; ///< all but the first
    bool m_filling = false;
};

} // namespace rankscope::ui
