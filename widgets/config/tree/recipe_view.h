// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/config/recipe/comparisons.h"

#include <QWidget>

#include <functional>

class QCheckBox;
class QLabel;
class QLineEdit;
class QMenu;
class QToolButton;
class QTreeView;

namespace rankscope::ui {

class AddKeyBar;
class RecipeFilter;
class RecipeModel;
class TreeColumns;
class ValueDelegate;
struct RecipeTree;

/// Shows the tree of the recipe with its search, filters and comparison, and the keys and menu that edit it.
class RecipeView final : public QWidget {
    Q_OBJECT
public:
    explicit RecipeView(QWidget* parent = nullptr);
    RecipeModel* model() const { return m_model; }
    QTreeView* tree() const { return m_tree; }
    QLineEdit* search() const { return m_search; }
    QToolButton* compareButton() const { return m_compare; }
    void setEvaluation(const Evaluation& evaluation, std::shared_ptr<RecipeTree> prepared = nullptr);
    void setReadOnly();     ///< nothing can be edited, added or moved
    void setOpen(bool on);  ///< false: the view explains how to open a recipe
    void setStale(bool on); ///< the text cannot be parsed, so the rows are older ones; the view says so
    void setComparisons(const std::vector<Comparison>& others);
    void reveal(const QString& key);
    /// Selects the row of a line of the text without taking the focus or emitting lineRequested().
    void showLine(int line);
    void focusSearch();
    void focusTree();
    void setOnlyDifferent(bool on);
    QString currentKey() const;
    /// Actions of the menu and the keys.
    void askForKey();
    void removeCurrent();
    void moveCurrent(int rows);
    QByteArray saveColumns() const;
    void restoreColumns(const QByteArray& state);

signals:
    void currentChanged(const QString& key); ///< by the user or by reveal()
    void lineRequested(int line);            ///< the text next to the tree scrolls to it
    void textRequested(int line);            ///< same, and the text takes the focus
    void addRequested(const QString& key, const QString& yaml);
    void removeRequested(const QString& key);
    void moveRequested(const QString& key, const QString& section, const QString& before);
    void explainRequested(const QString& key);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void build();
    void connectAll();
    void retranslate();
    void filterChanged();
    void filter(const std::function<void()>& change);
    void showNone();
    void fillMenu(QMenu* menu, const QModelIndex& index);
    void showMenu(const QPoint& at);
    bool treeKey(QKeyEvent* event);
    QString sectionAt(const QModelIndex& index) const;

    RecipeModel* m_model;
    RecipeFilter* m_filter;
    ValueDelegate* m_delegate;
    AddKeyBar* m_add;
    QLineEdit* m_search;
    QCheckBox* m_different;
    QCheckBox* m_ranks;
    QToolButton* m_compare;
    QToolButton* m_plus;
    QTreeView* m_tree;
    QLabel* m_none;
    TreeColumns* m_columns = nullptr;
    bool m_first = true, m_open = true, m_stale = false, m_following = false;
    bool m_filtering = false; ///< the selection changes because rows come and go
    QString m_chosen;         ///< the last selected key, even while a filter hides it
    bool m_grew = false;      ///< rows were added that a search has to expand
};

} // namespace rankscope::ui
