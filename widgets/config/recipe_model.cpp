// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/config/recipe_model.h"

#include "widgets/config/decisive.h"
#include "widgets/theme/fonts.h"
#include "widgets/theme/theme.h"

#include <QBrush>
#include <QFont>

#include <functional>
#include <map>

namespace rankscope::ui {

struct RecipeModel::Node {
    QString name;
    Node* parent = nullptr;
    std::vector<std::unique_ptr<Node>> children;
    bool leaf = false;
    config::KeyRow row; ///< of a leaf
    QString error;
    bool differsBelow = false;

    QString key() const {
        if (leaf)
            return QString::fromStdString(row.key);
        return parent && parent->parent ? parent->key() + QLatin1Char('.') + name : name;
    }
    int position() const {
        for (std::size_t i = 0; parent && i < parent->children.size(); ++i)
            if (parent->children[i].get() == this)
                return static_cast<int>(i);
        return 0;
    }
    Node* child(const QString& wanted, bool wantLeaf) const {
        for (const auto& one : children)
            if (one->name == wanted && one->leaf == wantLeaf)
                return one.get();
        return nullptr;
    }
    bool sameShown(const Node& o) const {
        return row.yours == o.row.yours && row.nemoYaml == o.row.nemoYaml && row.code == o.row.code &&
               row.codeSource == o.row.codeSource && row.effective == o.row.effective && row.origin == o.row.origin &&
               row.differs == o.row.differs && row.affectsRanks == o.row.affectsRanks && row.risk == o.row.risk &&
               row.type == o.row.type && row.choices == o.row.choices && row.at.line == o.row.at.line &&
               error == o.error && differsBelow == o.differsBelow;
    }
};

QString originWord(config::Origin origin) {
    switch (origin) {
    case config::Origin::Yours:
        return RecipeModel::tr("your file");
    case config::Origin::Override:
        return RecipeModel::tr("override");
    case config::Origin::NemoYaml:
        return RecipeModel::tr("NeMo YAML");
    case config::Origin::Code:
        return RecipeModel::tr("NeMo code");
    case config::Origin::Unset:
        break;
    }
    return RecipeModel::tr("not set");
}

RecipeModel::RecipeModel(QObject* parent) : QAbstractItemModel(parent), m_root(std::make_unique<Node>()) {}

RecipeModel::~RecipeModel() = default;

RecipeModel::Node* RecipeModel::nodeAt(const QModelIndex& index) const {
    return index.isValid() ? static_cast<Node*>(index.internalPointer()) : m_root.get();
}

QModelIndex RecipeModel::indexFor(const Node* node, int column) const {
    return node == m_root.get() ? QModelIndex() : createIndex(node->position(), column, const_cast<Node*>(node));
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

static QVariant text(const std::optional<config::ValueText>& value) {
    return value ? QVariant(QString::fromStdString(*value)) : QVariant();
}

QVariant RecipeModel::display(const Node& node, int column) const {
    if (column == Key)
        return node.name;
    if (!node.leaf)
        return {};
    switch (column) {
    case Yours:
        return text(node.row.yours);
    case NemoYaml:
        return text(node.row.nemoYaml);
    case NemoCode:
        return text(node.row.code);
    case Effective:
        return text(node.row.effective);
    default:
        return originWord(node.row.origin);
    }
}

QVariant RecipeModel::toolTip(const Node& node, int column) const {
    QStringList lines;
    if (column == Key) {
        lines << node.key();
        if (!node.error.isEmpty())
            lines << node.error;
        if (!node.row.risk.empty())
            lines << coreText(node.row.risk);
        else if (node.row.affectsRanks)
            lines << tr("Acts on collectives, on the batches of each rank, or on the layout of processes.");
        return lines.join(QLatin1Char('\n'));
    }
    if (column == NemoCode && node.row.code)
        lines << tr("default in %1").arg(QString::fromStdString(node.row.codeSource));
    const QString value = display(node, column).toString();
    if (value.size() > 24)
        lines.prepend(value);
    return lines.isEmpty() ? QVariant() : QVariant(lines.join(QLatin1Char('\n')));
}

QVariant RecipeModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const Node& node = *nodeAt(index);
    const Palette& colours = Theme::instance().palette();
    switch (role) {
    case Qt::DisplayRole:
        return display(node, index.column());
    case Qt::EditRole:
        // an absent key is edited from what acts now
        return index.column() == Yours && !node.row.yours ? text(node.row.effective) : display(node, index.column());
    case Qt::ToolTipRole:
        return toolTip(node, index.column());
    case Qt::FontRole:
        return !node.leaf && index.column() == Key ? QVariant(headingFont()) : QVariant();
    case Qt::ForegroundRole:
        if (!node.error.isEmpty() && (index.column() == Key || index.column() == Yours))
            return QBrush(colours.dead);
        if (index.column() == Effective && node.row.differs)
            return QBrush(colours.accent);
        return index.column() == NemoYaml || index.column() == NemoCode || index.column() == Origin
                   ? QVariant(QBrush(colours.secondary))
                   : QVariant();
    case KeyRole:
        return node.key();
    case LeafRole:
        return node.leaf;
    case TypeRole:
        return QString::fromStdString(node.row.type);
    case ChoicesRole: {
        QStringList choices;
        for (const auto& one : node.row.choices)
            choices << QString::fromStdString(one);
        return choices;
    }
    case DiffersRole:
        return node.leaf ? node.row.differs : node.differsBelow;
    case RiskRole:
        return coreText(node.row.risk);
    case RanksRole:
        return node.row.affectsRanks;
    case ErrorRole:
        return node.error;
    case LineRole:
        return node.row.at.line;
    case SearchRole:
        return node.leaf ? node.key() + QLatin1Char(' ') + text(node.row.effective).toString() : QString();
    default:
        return {};
    }
}

QVariant RecipeModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return role == Qt::TextAlignmentRole ? QVariant(Qt::AlignLeft | Qt::AlignVCenter) : QVariant();
    switch (section) {
    case Key:
        return tr("Key");
    case Yours:
        return tr("Yours");
    case NemoYaml:
        return tr("NeMo YAML");
    case NemoCode:
        return tr("NeMo code");
    case Effective:
        return tr("Effective");
    default:
        return tr("Origin");
    }
}

Qt::ItemFlags RecipeModel::flags(const QModelIndex& index) const {
    Qt::ItemFlags flags = QAbstractItemModel::flags(index);
    if (index.isValid() && index.column() == Yours && nodeAt(index)->leaf)
        flags |= Qt::ItemIsEditable;
    return flags;
}

bool RecipeModel::setData(const QModelIndex& index, const QVariant& value, int role) {
    if (role != Qt::EditRole || !(flags(index) & Qt::ItemIsEditable))
        return false;
    const Node& node = *nodeAt(index);
    const QString yaml = value.toString().trimmed();
    if (yaml.isEmpty() || (node.row.yours && *node.row.yours == yaml.toStdString()))
        return false;
    emit editRequested(node.key(), yaml);
    return true;
}

void RecipeModel::setEvaluation(const Evaluation& evaluation) {
    Node fresh;
    if (evaluation) {
        std::map<std::string, QString> errors;
        for (const auto& problem : evaluation->problems)
            if (problem.severity == config::Problem::Severity::Error && !problem.key.empty())
                errors.emplace(problem.key, coreText(problem.text));
        for (const config::KeyRow& row : evaluation->rows) {
            QStringList path = QString::fromStdString(row.key).split(QLatin1Char('.'));
            const QString name = path.takeLast();
            Node* at = &fresh;
            for (const QString& part : path) {
                at->differsBelow = at->differsBelow || row.differs;
                Node* next = at->child(part, false);
                if (!next) {
                    at->children.push_back(std::make_unique<Node>());
                    next = at->children.back().get();
                    next->name = part;
                    next->parent = at;
                }
                at = next;
            }
            at->differsBelow = at->differsBelow || row.differs;
            if (at->child(name, true))
                continue; // a key that the file names twice is a problem of its own
            auto leaf = std::make_unique<Node>();
            leaf->name = name;
            leaf->parent = at;
            leaf->leaf = true;
            leaf->row = row;
            if (const auto error = errors.find(row.key); error != errors.end())
                leaf->error = error->second;
            at->children.push_back(std::move(leaf));
        }
    }
    m_evaluation = evaluation;
    merge(m_root.get(), fresh);
}

void RecipeModel::merge(Node* mine, Node& fresh) {
    const QModelIndex at = indexFor(mine, 0);
    for (int last = static_cast<int>(mine->children.size()) - 1; last >= 0; --last) {
        const Node& node = *mine->children[static_cast<std::size_t>(last)];
        if (fresh.child(node.name, node.leaf))
            continue;
        beginRemoveRows(at, last, last);
        mine->children.erase(mine->children.begin() + last);
        endRemoveRows();
    }
    for (int i = 0; i < static_cast<int>(fresh.children.size()); ++i) {
        const auto slot = static_cast<std::size_t>(i);
        Node& wanted = *fresh.children[slot];
        Node* have = mine->child(wanted.name, wanted.leaf);
        if (!have) {
            beginInsertRows(at, i, i);
            wanted.parent = mine;
            mine->children.insert(mine->children.begin() + i, std::move(fresh.children[slot]));
            // keeps `fresh` whole for the lookups of the removal above; nobody reads this one again
            fresh.children[slot] = std::make_unique<Node>();
            endInsertRows();
            continue;
        }
        if (const int old = have->position(); old != i) {
            beginMoveRows(at, old, old, at, i);
            auto moved = std::move(mine->children[static_cast<std::size_t>(old)]);
            mine->children.erase(mine->children.begin() + old);
            mine->children.insert(mine->children.begin() + i, std::move(moved));
            endMoveRows();
        }
        if (!have->sameShown(wanted)) {
            have->row = wanted.row;
            have->error = wanted.error;
            have->differsBelow = wanted.differsBelow;
            emit dataChanged(indexFor(have, 0), indexFor(have, ColumnCount - 1));
        } else {
            have->row = wanted.row;
        }
        merge(have, wanted);
    }
}

QModelIndex RecipeModel::indexOf(const QString& key, int column) const {
    const QStringList path = key.split(QLatin1Char('.'));
    const Node* at = m_root.get();
    for (int i = 0; at && i < path.size(); ++i) {
        const Node* leaf = i + 1 == path.size() ? at->child(path[i], true) : nullptr;
        at = leaf ? leaf : at->child(path[i], false);
    }
    return at && at != m_root.get() ? indexFor(at, column) : QModelIndex();
}

const config::KeyRow* RecipeModel::row(const QModelIndex& index) const {
    const Node* node = nodeAt(index);
    return node->leaf ? &node->row : nullptr;
}

void RecipeModel::retranslate() {
    emit headerDataChanged(Qt::Horizontal, 0, ColumnCount - 1);
    const std::function<void(const Node*)> visit = [&](const Node* node) {
        if (node->children.empty())
            return;
        emit dataChanged(indexFor(node->children.front().get(), 0),
                         indexFor(node->children.back().get(), ColumnCount - 1));
        for (const auto& child : node->children)
            visit(child.get());
    };
    visit(m_root.get());
}

} // namespace rankscope::ui
