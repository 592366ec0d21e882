// SPDX-License-Identifier: GPL-3.0-or-later
// How a new evaluation, risks or compared recipes come into the tree: only what is shown differently is told.
#include "widgets/config/tree/recipe_model.h"
#include "widgets/config/recipe/recipe_node.h"

#include <functional>
#include <set>
#include <utility>

namespace rankscope::ui {

void RecipeModel::changed(const RecipeNode* node) {
    emit dataChanged(indexFor(node, 0), indexFor(node, ColumnCount - 1));
}

void RecipeModel::setEvaluation(const Evaluation& evaluation, std::shared_ptr<RecipeTree> prepared) {
    // the rows that are shown live until others are shown
    const Evaluation before = std::exchange(m_evaluation, evaluation);
    const auto previews = std::exchange(m_previews, {});
    m_risks = evaluation ? evaluation->risks : std::vector<config::Risk>();
    if (before && evaluation && haveSameKeys(*before, *evaluation))
        update(true);
    else
        rebuild(std::move(prepared));
}

void RecipeModel::setRisks(const std::vector<config::Risk>& risks) {
    m_risks = risks;
    update(false);
}

void RecipeModel::setComparisons(const std::vector<Comparison>& others) {
    m_others = others;
    rebuild(nullptr);
    emit headerDataChanged(Qt::Horizontal, OtherA, OtherB);
}

/// The keys are those that are shown.
void RecipeModel::update(bool freshRows) {
    if (!m_evaluation)
        return;
    const RecipeMarker marker(*m_evaluation, m_risks, m_others);
    std::vector<const RecipeNode*> leaves;
    std::set<const RecipeNode*> sections;
    const auto show = [&](RecipeNode* leaf, const config::KeyRow* row) {
        const int problems = leaf->problemCount, errors = leaf->errorCount, differing = leaf->differing,
                  dangers = leaf->dangerCount;
        if (!leaf->show(row, marker.of(*row)))
            return;
        leaves.push_back(leaf);
        if (problems != leaf->problemCount || errors != leaf->errorCount || differing != leaf->differing ||
            dangers != leaf->dangerCount)
            for (const RecipeNode* up = leaf->parent; up->parent; up = up->parent)
                sections.insert(up);
    };
    for (std::size_t i = 0; i < m_tree->leaves.size(); ++i)
        if (RecipeNode* leaf = m_tree->leaves[i])
            show(leaf, freshRows ? &m_evaluation->rows[i] : leaf->row);
    for (const config::KeyRow& row : m_tree->absent)
        show(m_tree->leafOf(row), &row);
    for (const RecipeNode* leaf : leaves)
        changed(leaf);
    for (const RecipeNode* section : sections)
        changed(section);
}

void RecipeModel::rebuild(std::shared_ptr<RecipeTree> fresh) {
    if (!m_evaluation)
        fresh = std::make_shared<RecipeTree>();
    else {
        if (!fresh)
            fresh = keyTree(*m_evaluation);
        fresh->addAbsent(*m_evaluation, m_others);
        const RecipeMarker marker(*m_evaluation, m_risks, m_others);
        for (RecipeNode* leaf : fresh->leaves)
            if (leaf)
                leaf->show(leaf->row, marker.of(*leaf->row));
        for (const config::KeyRow& row : fresh->absent)
            fresh->leafOf(row)->show(&row, marker.of(row));
    }
    if (m_tree->root->children.empty() || fresh->root->children.empty()) { // nothing is selected or open to be kept
        beginResetModel();
        m_tree = std::move(fresh);
        endResetModel();
        return;
    }
    merge(m_tree->root.get(), *fresh->root);
    m_tree->absent = std::move(fresh->absent);
    m_tree->collectLeaves(m_evaluation->rows.size());
}

/// Everything of a node but its children.
static bool take(RecipeNode& mine, RecipeNode& wanted) {
    const bool same = sameShown(*mine.row, *wanted.row) && (mine.differing > 0) == (wanted.differing > 0) &&
                      mine.problemCount == wanted.problemCount && mine.errorCount == wanted.errorCount &&
                      mine.dangerCount == wanted.dangerCount &&
                      static_cast<const RecipeMarks&>(mine) == static_cast<const RecipeMarks&>(wanted);
    static_cast<RecipeMarks&>(mine) = std::move(static_cast<RecipeMarks&>(wanted));
    mine.row = wanted.row;
    mine.number = wanted.number;
    mine.differing = wanted.differing;
    mine.problemCount = wanted.problemCount;
    mine.errorCount = wanted.errorCount;
    mine.dangerCount = wanted.dangerCount;
    return same;
}

void RecipeModel::merge(RecipeNode* mine, RecipeNode& fresh) {
    const QModelIndex at = indexFor(mine, 0);
    for (int last = static_cast<int>(mine->children.size()) - 1; last >= 0; --last) {
        const RecipeNode& node = *mine->children[static_cast<std::size_t>(last)];
        if (fresh.child(node.name, node.leaf))
            continue;
        beginRemoveRows(at, last, last);
        mine->take(last);
        endRemoveRows();
    }
    auto wantedRows = std::move(fresh.children);
    for (int i = 0; i < static_cast<int>(wantedRows.size()); ++i) {
        auto& wanted = wantedRows[static_cast<std::size_t>(i)];
        RecipeNode* have = mine->child(wanted->name, wanted->leaf);
        if (!have) {
            beginInsertRows(at, i, i);
            mine->insert(i, std::move(wanted));
            endInsertRows();
            continue;
        }
        if (const int old = have->at; old != i) {
            beginMoveRows(at, old, old, at, i);
            mine->insert(i, mine->take(old));
            endMoveRows();
        }
        if (!take(*have, *wanted))
            changed(have);
        merge(have, *wanted);
    }
}

void RecipeModel::preview(const QString& key, const config::ValueText& yours) {
    const QModelIndex at = indexOf(key);
    RecipeNode* node = at.isValid() ? nodeAt(at) : nullptr;
    if (!node || !node->leaf || node->row->yours == yours)
        return;
    config::KeyRow& row = m_previews.emplace_back(*node->row);
    row.yours = yours;
    if (row.origin != config::Origin::Override) {
        row.origin = config::Origin::Yours;
        if (yours == "???")
            row.effective.reset();
        else if (yours.find("${") == std::string::npos)
            row.effective = yours;
    }
    if (node->show(&row, static_cast<const RecipeMarks&>(*node)))
        changed(node);
}

void RecipeModel::retranslate() {
    update(false); // the problems' texts
    emit headerDataChanged(Qt::Horizontal, 0, ColumnCount - 1);
    const std::function<void(const RecipeNode*)> visit = [&](const RecipeNode* node) {
        if (node->children.empty())
            return;
        emit dataChanged(indexFor(node->children.front().get(), 0),
                         indexFor(node->children.back().get(), ColumnCount - 1));
        for (const auto& child : node->children)
            visit(child.get());
    };
    visit(m_tree->root.get());
}

} // namespace rankscope::ui
