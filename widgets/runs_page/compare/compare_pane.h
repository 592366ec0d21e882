// SPDX-License-Identifier: GPL-3.0-or-later
// The selected runs side by side: curves, figures, settings, and a setting against a figure.
#pragma once

#include "widgets/runs_page/curves/compare_data.h"

#include <QHash>
#include <QWidget>

#include <vector>

class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;
class QListWidget;
class QScrollArea;
class QSplitter;
class QStackedWidget;
class QTabWidget;
class QTableView;
class QTimer;
class QToolButton;

namespace rankscope::ui {

class CompareChart;
class CompareLoader;
class RunCombo;
class CompareModel;
class ComparePlot;
class ScatterPlot;
struct CompareLine;
struct CompareReply;

class ComparePane final : public QWidget {
    Q_OBJECT
public:
    static constexpr qsizetype kMostCurves = 64; ///< more are not drawn, and that is said
    static constexpr std::size_t kMostCharts = 6;
    enum Tab { Curves, Figures, Settings, Scatter };

    explicit ComparePane(QWidget* parent = nullptr);

    /// Does nothing when they are as they were.
    void setRuns(const QList<RunRow>& runs);
    void setBaseline(const QString& dir);
    /// The runs as they are compared: the baseline first.
    const QList<RunRow>& runs() const { return m_runs; }
    bool isComplete() const;
    void exportCurves(); ///< asks for a file
    void showTab(Tab tab);
    /// Of a run, the same as long as the window lives; by the value of a setting, where that was chosen.
    QPen penOf(const QString& dir) const;
    /// Below the others, of a metric that is not shown yet.
    void addChart();
    const std::vector<CompareChart*>& charts() const { return m_charts; } ///< beside the first

    ComparePlot* plot() const { return m_plot; }
    ScatterPlot* scatter() const { return m_scatter; }
    CompareModel* figures() const { return m_figures; }
    CompareModel* settings() const { return m_settings; }
    QComboBox* metric() const { return m_metric; }
    QComboBox* axis() const { return m_axis; }
    QComboBox* ranks() const { return m_ranks; }
    QComboBox* colourBy() const { return m_colourBy; }
    QCheckBox* grouped() const { return m_group; }
    QToolButton* addButton() const { return m_add; }
    QLabel* loading() const { return m_loading; }
    RunCombo* baseline() const { return m_baseline; }
    QComboBox* scatterX() const { return m_scatterX; }
    QComboBox* scatterY() const { return m_scatterY; }
    QListWidget* legend() const { return m_legend; }
    QLabel* missing() const { return m_missing; }

signals:
    void message(const QString& text);
    void failed(const QString& problem);
    void runClicked(const QString& dir);

protected:
    void changeEvent(QEvent* event) override;

private:
    void build();
    QWidget* buildCurves();
    QWidget* buildTable(CompareModel* model, QTableView*& view);
    QWidget* buildScatter();
    void connectAll();
    void retranslate();
    void fillBoxes();
    void runsChanged();
    void arrange();
    void fillChoices();
    void load();
    void take(const CompareReply& reply);
    void takeInto(CompareChart* chart, const CompareReply& reply);
    std::vector<CompareLine> linesOf(const CompareReply& reply, QStringList& missing) const;
    std::vector<CompareLine> groupsOf(std::vector<CompareLine> runs) const;
    bool isGrouped() const;
    std::string colourKey() const; ///< of the setting that colours are chosen by; empty: by run
    bool isBaseline(std::size_t line) const { return line == 0 && !isGrouped(); }
    void removeChart(CompareChart* chart);
    template <class Call> void eachPlot(Call call);
    qsizetype defaultBaseline() const;
    QString seedRemark() const;
    void fillColours();
    void fitHeadings(QTableView* view, int first) const;
    void fillLegend();
    void fillScatter();
    void copyTable();
    CurveRequest request() const;
    QList<QColor> colours() const;
    int fitLegend();

    QList<RunRow> m_given, m_runs;
    QStringList m_names; ///< of the runs as they are compared
    QString m_baselineDir;
    mutable QHash<QString, int> m_colourOf;
    CompareLoader* m_loader;
    CompareModel* m_figures;
    CompareModel* m_settings;
    QStackedWidget* m_stack;
    QLabel* m_empty;
    QTabWidget* m_tabs;
    RunCombo* m_baseline;
    QLabel* m_baselineLabel;
    QToolButton* m_copy;
    QToolButton* m_export;
    ComparePlot* m_plot;
    QListWidget* m_legend;
    QLabel* m_missing;
    QComboBox *m_metric, *m_axis, *m_ranks;
    QCheckBox *m_band, *m_log, *m_smooth;
    QTableView *m_figureView = nullptr, *m_settingView = nullptr;
    QCheckBox* m_all;
    QLineEdit* m_search;
    ScatterPlot* m_scatter;
    QComboBox *m_scatterX, *m_scatterY;
    QLabel* m_against;
    QSplitter* m_plots;
    QScrollArea* m_scroll; ///< many charts keep their least height
    QLabel* m_loading;     ///< in the plots' place until there is something to draw
    QToolButton* m_add;
    QComboBox* m_colourBy;
    QCheckBox* m_group;
    std::vector<CompareChart*> m_charts;
    QStringList m_values; ///< of the setting that colours are chosen by, in order
    QTimer* m_later;      ///< selections change row by row
    bool m_filling = false;
};

} // namespace rankscope::ui
