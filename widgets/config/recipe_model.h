// SPDX-License-Identifier: GPL-3.0-or-later
// The whole recipe as a tree by dotted key, four values side by side. A new evaluation becomes ranged changes: what is
// open, selected or being edited stays so.
#pragma once

#include "widgets/config/evaluator.h"

#include <QAbstractItemModel>

#include <memory>
#include <vector>

namespace rankscope::ui {

class RecipeModel final : public QAbstractItemModel {
    Q_OBJECT
public:
    enum Column { Key, Yours, NemoYaml, NemoCode, Effective, Origin, ColumnCount };
    enum Role {
        KeyRole = Qt::UserRole + 1, ///< full dotted key
        LeafRole,
        TypeRole,
        ChoicesRole,
        DiffersRole, ///< of the row, or of any row below
        RiskRole,
        RanksRole, ///< acts on collectives, batches per rank, or layout
        ErrorRole, ///< text of the first problem at this key
        LineRole,  ///< in the file; 0: not there
        SearchRole,
    };

    explicit RecipeModel(QObject* parent = nullptr);
    ~RecipeModel() override;

    QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
    QModelIndex parent(const QModelIndex& child) const override;
    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;
    /// Accepts the new value as YAML and hands it on by editRequested(); the next evaluation shows it.
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;

    void setEvaluation(const Evaluation& evaluation); ///< null: empty
    QModelIndex indexOf(const QString& key, int column = Key) const;
    const config::KeyRow* row(const QModelIndex& index) const; ///< null: a section
    void retranslate();

signals:
    void editRequested(const QString& key, const QString& yaml);

private:
    struct Node;
    Node* nodeAt(const QModelIndex& index) const;
    QModelIndex indexFor(const Node* node, int column) const;
    void merge(Node* mine, Node& fresh);
    QVariant display(const Node& node, int column) const;
    QVariant toolTip(const Node& node, int column) const;

    std::unique_ptr<Node> m_root;
    Evaluation m_evaluation;
};

/// "your file", "override", "NeMo YAML", "NeMo code", "not set"
QString originWord(config::Origin origin);

} // namespace rankscope::ui
