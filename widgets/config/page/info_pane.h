// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/config/recipe/evaluation.h"

#include <QTabWidget>

namespace rankscope::ui {

class ChangesView;
class PlanRequest;
class DryRunPanel;
class KeyDetail;
class ProblemList;
class ProblemModel;

/// Holds the tabs below the text: the selected key, the problems, the dry run and the unsaved changes. If there is no
/// room for the text above them, the text is the first tab.
class InfoPane final : public QTabWidget {
    Q_OBJECT
public:
    enum InfoTab { Key, Problems, Plan, Changes };
    InfoPane(PlanRequest* run, QWidget* parent = nullptr);

    KeyDetail* detail() const { return m_detail; }
    ProblemModel* problems() const { return m_problems; }
    ProblemList* problemList() const { return m_problemList; }
    DryRunPanel* dryRun() const { return m_plan; }
    ChangesView* changes() const { return m_changes; }
    void showTab(InfoTab tab);
    /// Makes `text` the first tab; null: removes it from the tabs.
    void setText(QWidget* text);
    bool showsText() const { return m_text && currentWidget() == m_text; }
    void retranslate();

protected:
    void changeEvent(QEvent* event) override;

private:
    void showCounts();
    int indexOfTab(InfoTab tab) const;

    QWidget* m_text = nullptr;
    KeyDetail* m_detail;
    ProblemModel* m_problems;
    ProblemList* m_problemList;
    DryRunPanel* m_plan;
    ChangesView* m_changes;
};

} // namespace rankscope::ui
