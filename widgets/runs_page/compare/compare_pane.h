// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/runs_page/curves/run_names.h"

#include <QWidget>

#include <array>
#include <cstdint>

class QCheckBox;
class QLabel;
class QLineEdit;
class QStackedWidget;
class QTabWidget;
class QTableView;
class QTimer;
class QToolButton;

namespace rankscope::ui {

class CompareCurves;
class CompareModel;
class ScatterPane;

/// Compares the selected runs: curves, figures, settings, and a setting plotted against a figure.
class ComparePane final : public QWidget {
    Q_OBJECT
public:
    enum CompareTab { Curves, Figures, Settings, Scatter };

    explicit ComparePane(QWidget* parent = nullptr);

    /// Sets the runs to compare; does nothing if they have not changed.
    void setRuns(const QList<RunRow>& runs);
    /// Returns the runs in the order of the comparison: the baseline first.
    const QList<RunRow>& runs() const { return m_runs; }
    bool isComplete() const;
    void exportCurves(); ///< asks for a file
    void showTab(CompareTab tab);

signals:
    void message(const QString& text);
    void failed(const QString& problem);
    void runClicked(const QString& dir);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void build();
    QWidget* buildTable(CompareModel* model, QTableView*& view);
    void connectAll();
    void retranslate();
    void runsChanged();
    bool takePinned();
    void arrange();
    void fillShownTab();
    void recolour();
    void fillBaseline();
    qsizetype defaultBaseline() const;
    void fitHeadings(QTableView* view) const;
    void copyTable();

    QList<RunRow> m_given, m_runs;
    QList<RunName> m_names; ///< in the order of runs()
    QString m_baselineDir;  ///< chosen by the user
    QString m_pinnedDir;    ///< of the pinned run among those that are compared
    CompareModel *m_figures, *m_settings;
    QStackedWidget* m_stack;
    QLabel* m_empty;
    QTabWidget* m_tabs;
    RunCombo* m_baseline;
    QLabel* m_baselineLabel;
    QToolButton *m_copy, *m_export;
    CompareCurves* m_curves;
    QTableView *m_figureView = nullptr, *m_settingView = nullptr;
    QCheckBox* m_all;
    QLineEdit* m_search;
    ScatterPane* m_scatter;
    /// What of a tab is older than runs(): a tab is filled when it is looked at, since thousands of runs take a while.
    enum class TabAge : std::uint8_t { Current, OldFigures, OldRuns };
    std::array<TabAge, Scatter + 1> m_age{};
    std::array<int, Scatter + 1> m_fittedWidth{}; ///< of the pane when a table's columns were fitted, in pixels
    QTimer* m_later;                              ///< delays the update, because selections change row by row
    bool m_filling = false;
};

} // namespace rankscope::ui
