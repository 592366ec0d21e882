// SPDX-License-Identifier: GPL-3.0-or-later
// The checks before and at start, folded to one line until somebody wants them, or one failed.
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
    /// Hides where there are none; unfolds when the first one failed.
    void setChecks(const std::vector<store::CheckSummary>& checks);
    void retranslate();

private:
    void update();

    CheckModel* m_model;
    QToolButton* m_fold;
    QTableView* m_table;
};

} // namespace rankscope::ui
