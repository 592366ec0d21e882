// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QObject>

class QTreeView;

namespace rankscope::ui {

class RecipeModel;

/// Chooses which columns of the recipe's tree are shown, and their widths, whenever the tree's width changes. Widths
/// that the user has set are kept; only the last column still takes what the others leave.
class TreeColumns final : public QObject {
public:
    /// `model`: the tree's source model; both must outlive this object.
    TreeColumns(QTreeView* tree, const RecipeModel* model, QObject* parent);
    void fit();              ///< again, because other columns have values now
    QByteArray save() const; ///< empty: the user has set no width
    void restore(const QByteArray& state);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void choose(int width);

    QTreeView* m_tree;
    const RecipeModel* m_model;
    bool m_byUser = false; ///< the user has set widths
};

} // namespace rankscope::ui
