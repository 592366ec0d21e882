// SPDX-License-Identifier: GPL-3.0-or-later
// What the user does with the marks of the selected runs: star, pin, tag, archive, trash; by key or from the menu.
#pragma once

#include "widgets/runs_page/table/run_table_model.h"

#include <QObject>

class QMenu;
class QWidget;

namespace rankscope::ui {

class MarksEditor;
class RunTableView;

class MarkActions final : public QObject {
    Q_OBJECT
public:
    /// All must outlive it. `page` owns it, and its boxes are shown over the page.
    MarkActions(RunTableModel* model, RunTableView* table, MarksEditor* marks, QWidget* page);

    void toggleStars();
    void togglePin();
    void toggleDifferences();
    void requestTag();
    void askTrash();
    /// Adds the actions for these runs, the selected ones, to a menu. Moving to the trash is not among them.
    void addTo(QMenu* menu, const QList<RunRow>& runs);

signals:
    void message(const QString& text);

private:
    void addTagMenu(QMenu* menu, const QList<RunRow>& runs);

    RunTableModel* m_model;
    RunTableView* m_table;
    MarksEditor* m_marks;
    QWidget* m_page;
};

} // namespace rankscope::ui
