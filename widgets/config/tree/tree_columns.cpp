// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/config/tree/tree_columns.h"

#include "widgets/config/model/recipe_model.h"

#include <QEvent>
#include <QGuiApplication>
#include <QHeaderView>
#include <QTreeView>

#include <algorithm>

namespace rankscope::ui {

TreeColumns::TreeColumns(QTreeView* tree, const RecipeModel* model, QObject* parent)
    : QObject(parent), m_tree(tree), m_model(model) {
    connect(m_tree->header(), &QHeaderView::sectionResized, this, [this] {
        // only if the user did it: the layout resizes sections too
        m_byUser = m_byUser || QGuiApplication::mouseButtons().testFlag(Qt::LeftButton);
    });
    m_tree->viewport()->installEventFilter(this);
}

bool TreeColumns::eventFilter(QObject* watched, QEvent* event) {
    if (watched == m_tree->viewport() && event->type() == QEvent::Resize)
        fit();
    return QObject::eventFilter(watched, event);
}

/// Chooses the columns there is room for: keys must stay readable, and compared values precede the origin.
void TreeColumns::choose(int width) {
    const auto others = m_model->comparisonCount();
    const auto show = [this](int column, bool on) { m_tree->setColumnHidden(column, !on); };
    show(RecipeModel::OtherA, others > 0);
    show(RecipeModel::OtherB, others > 1);
    show(RecipeModel::Origin, others == 0 && (m_byUser || width >= 640));
    show(RecipeModel::NemoCode, m_byUser || others == 0 || width >= (others == 1 ? 700 : 900));
    show(RecipeModel::NemoYaml, m_byUser || others < 2 || width >= 760);
}

void TreeColumns::fit() {
    const int width = m_tree->viewport()->width();
    choose(width);
    static constexpr int shares[RecipeModel::ColumnCount] = {44, 19, 17, 16, 17, 17, 17, 14};
    int all = 0, last = 0, used = 0;
    for (int i = 0; i < RecipeModel::ColumnCount; ++i)
        if (!m_tree->isColumnHidden(i)) {
            all += shares[i];
            last = i;
        }
    for (int i = 0; i < last; ++i)
        if (!m_tree->isColumnHidden(i)) {
            if (!m_byUser)
                m_tree->setColumnWidth(i, width * shares[i] / all);
            used += m_tree->columnWidth(i);
        }
    m_tree->setColumnWidth(last, std::max(m_tree->header()->minimumSectionSize(), width - used));
}

QByteArray TreeColumns::save() const {
    return m_byUser ? m_tree->header()->saveState() : QByteArray();
}

void TreeColumns::restore(const QByteArray& state) {
    // an older version had other columns
    const int count = m_tree->header()->count();
    m_byUser = !state.isEmpty() && m_tree->header()->restoreState(state) && m_tree->header()->count() == count;
    fit();
}

} // namespace rankscope::ui
