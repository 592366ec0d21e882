// SPDX-License-Identifier: GPL-3.0-or-later
// An additional chart of a comparison: another metric, with the same runs and the same axis as the first chart.
#pragma once

#include "widgets/models/base/background_task.h"
#include "widgets/runs_page/curves/run_curve.h"

#include <QWidget>

class QComboBox;
class QToolButton;

namespace rankscope::ui {

class ComparePlot;

class CompareChart final : public QWidget {
    Q_OBJECT
public:
    explicit CompareChart(QWidget* parent = nullptr);
    void load(const QStringList& dirs, CurveRequest request); ///< with this chart's metric
    void cancel() { m_loader.cancel(); }
    bool isComplete() const;
    void retranslate();

    ComparePlot* plot() const { return m_plot; }
    QComboBox* metric() const { return m_metric; }

signals:
    void loaded(const rankscope::ui::CompareReplyPtr& reply);
    void metricChosen();
    void removeRequested();

private:
    BackgroundTask m_loader{QStringLiteral("compare")};
    ComparePlot* m_plot;
    QComboBox* m_metric;
    QToolButton* m_remove;
};

} // namespace rankscope::ui
