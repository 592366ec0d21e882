// SPDX-License-Identifier: GPL-3.0-or-later
// The tree of the recipe with its search and filters.
#pragma once

#include "widgets/config/evaluator.h"

#include <QWidget>

class QCheckBox;
class QLabel;
class QLineEdit;
class QTreeView;

namespace rankscope::ui {

class RecipeFilter;
class RecipeModel;

class RecipeView final : public QWidget {
    Q_OBJECT
public:
    explicit RecipeView(QWidget* parent = nullptr);
    RecipeModel* model() const { return m_model; }
    QTreeView* tree() const { return m_tree; }
    void setEvaluation(const Evaluation& evaluation);
    void reveal(const QString& key);
    void focusSearch();
    QByteArray saveColumns() const;
    void restoreColumns(const QByteArray& state);

signals:
    void lineRequested(int line);
    void removeRequested(const QString& key);

protected:
    void changeEvent(QEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void build();
    void retranslate();
    void fitColumns();
    void filterChanged();
    void showMenu(const QPoint& at);

    RecipeModel* m_model;
    RecipeFilter* m_filter;
    QLineEdit* m_search;
    QCheckBox* m_different;
    QCheckBox* m_ranks;
    QTreeView* m_tree;
    QLabel* m_none;
    bool m_userColumns = false, m_first = true;
};

} // namespace rankscope::ui
