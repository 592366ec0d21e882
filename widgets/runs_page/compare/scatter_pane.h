// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/runs_page/filter/run_fields.h"

#include <QWidget>

class QComboBox;
class QLabel;

namespace rankscope::ui {

class ScatterPlot;

/// Shows compared runs as points: a setting that differs between them against a figure.
class ScatterPane final : public QWidget {
    Q_OBJECT
public:
    explicit ScatterPane(QWidget* parent = nullptr);

    /// Sets the runs; keeps the chosen setting if it still differs. `colours` are by run.
    void setRuns(const QList<RunRow>& runs, const QList<QColor>& colours);
    /// Shows new figures of the same runs.
    void updateRuns(const QList<RunRow>& runs, const QList<QColor>& colours);
    ScatterPlot* plot() const { return m_plot; }
    void retranslate();

signals:
    void runClicked(const QString& dir);

private:
    void fillFigures();
    void fillPlot();

    QList<RunRow> m_runs;
    QList<QColor> m_colours;
    ScatterPlot* m_plot;
    QComboBox *m_x, *m_y;
    QLabel* m_against;
    bool m_filling = false;
};

} // namespace rankscope::ui
