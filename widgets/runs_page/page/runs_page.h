// SPDX-License-Identifier: GPL-3.0-or-later
// Shows all runs of the folder as a table with filter, columns and marks; selected runs can be compared below it.
#pragma once

#include "widgets/runs_page/table/run_table_model.h"

#include <QWidget>

class QLabel;
class QMenu;
class QSplitter;
class QToolButton;
class QUndoStack;

namespace rankscope::ui {

class ColumnChooser;
class ComparePane;
class FilterEdit;
class MarkActions;
class MarksEditor;
class NamedViews;
class RunTableView;

class RunsPage final : public QWidget {
    Q_OBJECT
public:
    explicit RunsPage(QWidget* parent = nullptr);

    void setRows(const QList<RunRow>& rows);
    void rename(const QString& dir, const QString& title); ///< empty: the recipe's name; can be undone
    void setFilled();                                      ///< the figures and settings of all runs have been read once
    void focusFilter();
    QUndoStack* undoStack() const;
    QByteArray saveLayout() const;
    void restoreLayout(const QByteArray& layout);
    /// Returns whether everything requested is shown.
    bool isComplete() const;
    void setCompared(bool on); ///< shows or hides the pane below the table
    bool isCompared() const;
    void exportPlots(); ///< asks for a file and writes the comparison's curves to it

signals:
    void openRequested(const QString& dir);
    void stopRequested(const QString& dir, bool now);
    void relaunchRequested(const QString& dir);
    void removed(const QString& dir);
    void message(const QString& text);
    void failed(const QString& problem);
    void changed(); ///< something in the runs' folders was written

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void showEvent(QShowEvent* event) override;

private:
    void build();
    QByteArray saveView() const;
    void restoreView(const QByteArray& view);
    void connectTable();
    void connectMarks();
    void editNoteAgain(const QString& dir, const QString& note);
    void retranslate();
    void updateCount();
    void selectionChanged();
    void copyRows();
    QList<RunRow> comparedRuns() const;
    QMenu* menu(); ///< returns a menu for the selection; the caller owns it
    QList<RunRow> runsOf(const QString& dir) const;

    RunTableModel* m_model;
    RunTableProxy* m_proxy;
    MarksEditor* m_marks;
    NamedViews* m_views;
    FilterEdit* m_filter;
    QLabel* m_count;
    QToolButton* m_columns;
    QToolButton* m_archived;
    QToolButton* m_compareButton;
    RunTableView* m_table;
    QLabel* m_empty;
    ComparePane* m_compare;
    QSplitter* m_splitter;
    ColumnChooser* m_chooser;
    MarkActions* m_actions;
    bool m_listed = false, m_filled = false;
};

} // namespace rankscope::ui
