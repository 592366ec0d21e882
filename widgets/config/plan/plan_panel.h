// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPointer>
#include <QWidget>

class QLabel;
class QTreeWidget;

namespace rankscope::ui {

class PlanRequest;
struct PlanLine;

/// Shows the dry run as a list of figures, or why there is none.
class DryRunPanel final : public QWidget {
    Q_OBJECT
public:
    explicit DryRunPanel(PlanRequest* run, QWidget* parent = nullptr);

private:
    void show();
    void addLine(const PlanLine& line);
    QWidget* copyButton(const PlanLine& line);
    QWidget* measureRow(const PlanLine& line);
    void showProgress();

    PlanRequest* m_run;
    QLabel* m_state;
    QTreeWidget* m_list;
    QPointer<QLabel> m_measured; ///< the time of an epoch, while it is in the list
};

} // namespace rankscope::ui
