// SPDX-License-Identifier: GPL-3.0-or-later
// The sidebar: search, filter, the list of runs, and the actions on a run.
#pragma once

#include "widgets/runs/scan/run_row.h"

#include <QWidget>

#include <functional>

class QLabel;
class QLineEdit;
class QListView;
class QModelIndex;
class QTimer;
class QToolButton;

namespace rankscope::ui {

class RunDelegate;
class RunFilter;
class RunListModel;

class RunsPanel final : public QWidget {
    Q_OBJECT
public:
    explicit RunsPanel(QWidget* parent = nullptr);

    static constexpr int kWidth = 260, kFoldedWidth = 48;

    void setRows(const QList<RunRow>& rows);
    /// Marks a run as the one that is open; it may appear in the list later.
    void setCurrent(const QString& dir);
    void setFolded(bool folded);
    bool isFolded() const { return m_folded; }
    void focusSearch();
    /// Moves a run that has ended to the trash, without asking. Returns an error text; empty on success.
    static QString moveToTrash(const RunRow& row);

signals:
    void openRequested(const QString& dir);
    void stopRequested(const QString& dir, bool now);
    void relaunchRequested(const QString& dir);
    void removed(const QString& dir);
    void renameRequested(const QString& dir, const QString& title); ///< empty: back to the recipe's name
    void foldRequested(bool folded);                                ///< by the user
    void message(const QString& text);
    void failed(const QString& problem);

protected:
    void changeEvent(QEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void build();
    void retranslate();
    void open(const QModelIndex& index);
    void showMenu(const QPoint& at);
    void rename(const QString& dir);
    void setOpened(const QModelIndex& index, bool opened);
    void askAndRemove(const RunRow& row);
    void markCurrent();
    void updateEmptyText();
    void rebuildFilterMenu();
    void quietly(const std::function<void()>& change);
    void filter(const std::function<void()>& change);
    bool isFiltered() const;
    const RunRow* rowAt(const QModelIndex& proxyIndex) const;

    RunListModel* m_model;
    RunFilter* m_filter;
    RunDelegate* m_delegate;
    QLabel* m_title;
    QToolButton* m_fold;
    QToolButton* m_states;
    QLineEdit* m_search;
    QListView* m_list;
    QLabel* m_empty;
    QTimer* m_stalls; ///< active while a run stalls, because its text counts up
    QString m_current;
    bool m_folded = false, m_reveal = false, m_quiet = false; ///< m_quiet: the program moves the selection
};

} // namespace rankscope::ui
