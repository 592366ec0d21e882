// SPDX-License-Identifier: GPL-3.0-or-later
// Shows the checks before and at start, folded to one line until the user unfolds them or one fails.
#pragma once

#include "core/store/report/check_summary.h"

#include <QWidget>

#include <vector>

class QTableView;
class QToolButton;

namespace rankscope::ui {

class CheckModel;

class CheckPanel final : public QWidget {
    Q_OBJECT
public:
    explicit CheckPanel(QWidget* parent = nullptr);
    /// Shows these checks; hides if there are none, and unfolds when the first one has failed.
    void setChecks(const std::vector<store::CheckSummary>& checks);
    void retranslate();

private:
    void update();

    CheckModel* m_model;
    QToolButton* m_fold;
    QTableView* m_table;
};

} // namespace rankscope::ui
