// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/config/model/recipe_model.h"

#include "widgets/config/model/recipe_cell.h"
#include "widgets/config/recipe/recipe_node.h"
#include "widgets/models/text/tool_tip.h"

#include <QMimeData>

#include <algorithm>
#include <functional>
#include <set>
#include <utility>

namespace rankscope::ui {

RecipeModel::RecipeModel(QObject* parent) : QAbstractItemModel(parent), m_tree(std::make_shared<RecipeTree>()) {}

RecipeModel::~RecipeModel() = default;

RecipeNode* RecipeModel::nodeAt(const QModelIndex& index) const {
    return index.isValid() ? static_cast<RecipeNode*>(index.internalPointer()) : m_tree->root.get();
}

QModelIndex RecipeModel::indexFor(const RecipeNode* node, int column) const {
    return node == m_tree->root.get() ? QModelIndex() : createIndex(node->at, column, const_cast<RecipeNode*>(node));
}

QModelIndex RecipeModel::index(int row, int column, const QModelIndex& parent) const {
    if (!hasIndex(row, column, parent))
        return {};
    return createIndex(row, column, nodeAt(parent)->children[static_cast<std::size_t>(row)].get());
}

QModelIndex RecipeModel::parent(const QModelIndex& child) const {
    return child.isValid() ? indexFor(nodeAt(child)->parent, 0) : QModelIndex();
}

int RecipeModel::rowCount(const QModelIndex& parent) const {
    return parent.column() > 0 ? 0 : static_cast<int>(nodeAt(parent)->children.size());
}

int RecipeModel::columnCount(const QModelIndex&) const {
    return ColumnCount;
}

QVariant RecipeModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    return RecipeCell(*nodeAt(index), index.column(), m_readOnly).data(role);
}

QVariant RecipeModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal)
        return {};
    const auto other = static_cast<std::size_t>(section - OtherA);
    const bool compared = (section == OtherA || section == OtherB) && other < m_others.size();
    if (role == Qt::TextAlignmentRole)
        return QVariant(Qt::AlignLeft | Qt::AlignVCenter);
    if (role == Qt::ToolTipRole && section == NemoCode)
        return tr("Default in the code of NeMo, Lightning, PyTorch or Rankscope; a value's tool tip says which");
    if (role == Qt::ToolTipRole)
        return compared ? QVariant(plainToolTip(m_others[other].path)) : QVariant();
    if (role != Qt::DisplayRole)
        return {};
    switch (section) {
    case Key:
        return tr("Key");
    case Yours:
        return m_readOnly ? tr("Recipe") : tr("Your file");
    case NemoYaml:
        return tr("NeMo YAML");
    case NemoCode:
        return tr("Code");
    case Effective:
        return tr("Effective");
    case OtherA:
    case OtherB:
        return compared ? m_others[other].title : QString();
    default:
        return tr("Origin");
    }
}

Qt::ItemFlags RecipeModel::flags(const QModelIndex& index) const {
    Qt::ItemFlags flags = QAbstractItemModel::flags(index);
    if (!index.isValid())
        return flags | Qt::ItemIsDropEnabled; // between the top-level keys
    if (m_readOnly)
        return flags;
    const RecipeNode& node = *nodeAt(index);
    if (index.column() == Yours && node.leaf)
        flags |= Qt::ItemIsEditable;
    if (!node.leaf || node.row->at.line > 0)
        flags |= Qt::ItemIsDragEnabled;
    return node.leaf ? flags : flags | Qt::ItemIsDropEnabled;
}

bool RecipeModel::setData(const QModelIndex& index, const QVariant& value, int role) {
    if (role != Qt::EditRole || !(flags(index) & Qt::ItemIsEditable))
        return false;
    const RecipeNode& node = *nodeAt(index);
    const QString yaml = value.toString().trimmed();
    if (yaml.isEmpty() || (node.row->yours && *node.row->yours == yaml.toStdString()))
        return false;
    // a default that was only viewed is not written to the file
    if (!node.row->yours && node.row->effective && *node.row->effective == yaml.toStdString())
        return false;
    emit editRequested(node.key(), yaml);
    return true;
}

QStringList RecipeModel::mimeTypes() const {
    return {QLatin1String(kMimeType)};
}

QMimeData* RecipeModel::mimeData(const QModelIndexList& indexes) const {
    if (indexes.isEmpty())
        return nullptr;
    auto* data = new QMimeData;
    data->setData(QLatin1String(kMimeType), nodeAt(indexes.front())->key().toUtf8());
    return data;
}

bool RecipeModel::canDropMimeData(const QMimeData* data, Qt::DropAction, int, int, const QModelIndex& parent) const {
    if (!data || !data->hasFormat(QLatin1String(kMimeType)))
        return false;
    const QString key = QString::fromUtf8(data->data(QLatin1String(kMimeType)));
    const RecipeNode* into = nodeAt(parent);
    // not onto a value, nor into itself or below
    return !into->leaf && into->key() != key && !into->key().startsWith(key + QLatin1Char('.'));
}

bool RecipeModel::dropMimeData(const QMimeData* data, Qt::DropAction action, int row, int column,
                               const QModelIndex& parent) {
    if (!canDropMimeData(data, action, row, column, parent))
        return false;
    const RecipeNode* into = nodeAt(parent);
    QString before;
    // the next sibling that is written in the file; defaults are not
    for (auto i = static_cast<std::size_t>(std::max(row, 0)); row >= 0 && i < into->children.size(); ++i)
        if (const RecipeNode& next = *into->children[i]; !next.leaf || next.row->at.line > 0) {
            before = next.key();
            break;
        }
    emit moveRequested(QString::fromUtf8(data->data(QLatin1String(kMimeType))), into->key(), before);
    return false; // the view must not remove the row: the file's next evaluation moves it
}

QModelIndex RecipeModel::indexOf(const QString& key, int column) const {
    const QStringList path = key.split(QLatin1Char('.'));
    const RecipeNode* at = m_tree->root.get();
    for (int i = 0; at && i < path.size(); ++i) {
        const RecipeNode* leaf = i + 1 == path.size() ? at->child(path[i], true) : nullptr;
        at = leaf ? leaf : at->child(path[i], false);
    }
    return at && at != m_tree->root.get() ? indexFor(at, column) : QModelIndex();
}

QModelIndex RecipeModel::indexAtLine(int line) const {
    const config::KeyRow* last = nullptr;
    if (m_evaluation)
        for (const config::KeyRow& row : m_evaluation->rows)
            if (row.at.line > 0 && row.at.line <= line && (!last || row.at.line >= last->at.line))
                last = &row;
    return last ? indexOf(QString::fromStdString(last->key)) : QModelIndex();
}

const config::KeyRow* RecipeModel::row(const QModelIndex& index) const {
    const RecipeNode* node = nodeAt(index);
    return node->leaf ? node->row : nullptr;
}

void RecipeModel::changed(const RecipeNode* node) {
    emit dataChanged(indexFor(node, 0), indexFor(node, ColumnCount - 1));
}

void RecipeModel::setEvaluation(const Evaluation& evaluation, std::shared_ptr<RecipeTree> prepared) {
    // keeps the rows that are shown alive until they are replaced
    const Evaluation before = std::exchange(m_evaluation, evaluation);
    const auto previews = std::exchange(m_previews, {});
    m_risks = evaluation ? evaluation->risks : std::vector<config::Risk>();
    m_refusals.clear();
    if (before && evaluation && haveSameKeys(*before, *evaluation))
        update(true);
    else
        rebuild(std::move(prepared));
}

void RecipeModel::setRisks(const std::vector<config::Risk>& risks, const std::vector<config::Problem>& refusals) {
    m_risks = risks;
    m_refusals = refusals;
    update(false);
}

void RecipeModel::setComparisons(const std::vector<Comparison>& others) {
    m_others = others;
    rebuild(nullptr);
    emit headerDataChanged(Qt::Horizontal, OtherA, OtherB);
}

/// Updates the rows; the keys have not changed.
void RecipeModel::update(bool freshRows) {
    if (!m_evaluation)
        return;
    const RecipeMarker marker(*m_evaluation, m_risks, m_refusals, m_others);
    std::vector<const RecipeNode*> leaves;
    std::set<const RecipeNode*> sections;
    const auto show = [&](RecipeNode* leaf, const config::KeyRow* row) {
        const RecipeCounts before = leaf->total;
        if (!leaf->show(row, marker.of(*row)))
            return;
        leaves.push_back(leaf);
        if (before != leaf->total)
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
    if (!m_evaluation) {
        fresh = std::make_shared<RecipeTree>();
    } else {
        if (!fresh)
            fresh = keyTree(*m_evaluation);
        fresh->addAbsent(*m_evaluation, m_others);
        const RecipeMarker marker(*m_evaluation, m_risks, m_refusals, m_others);
        for (RecipeNode* leaf : fresh->leaves)
            if (leaf)
                leaf->show(leaf->row, marker.of(*leaf->row));
        for (const config::KeyRow& row : fresh->absent)
            fresh->leafOf(row)->show(&row, marker.of(row));
    }
    if (m_tree->root->children.empty() || fresh->root->children.empty()) { // no selection or expansion to preserve
        beginResetModel();
        m_tree = std::move(fresh);
        endResetModel();
        return;
    }
    merge(m_tree->root.get(), *fresh->root);
    m_tree->absent = std::move(fresh->absent);
    m_tree->collectLeaves(m_evaluation->rows.size());
}

/// Updates `mine` to `wanted`, except for the children. Returns false if something that is shown has changed.
static bool take(RecipeNode& mine, RecipeNode& wanted) {
    const auto shown = [](RecipeCounts counts) {
        counts.differing = counts.differing > 0; // only whether any differ, not how many
        return counts;
    };
    const bool same = sameShown(*mine.row, *wanted.row) && shown(mine.total) == shown(wanted.total) &&
                      static_cast<const RecipeMarks&>(mine) == static_cast<const RecipeMarks&>(wanted);
    static_cast<RecipeMarks&>(mine) = std::move(static_cast<RecipeMarks&>(wanted));
    mine.row = wanted.row;
    mine.number = wanted.number;
    mine.total = wanted.total;
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
