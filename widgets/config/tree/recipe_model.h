// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/config/recipe/comparisons.h"

#include <QAbstractItemModel>

#include <deque>
#include <memory>
#include <vector>

namespace rankscope::ui {

struct RecipeNode;
struct RecipeTree;

/// The whole recipe as a tree by dotted key, its values beside NeMo's and those of up to two compared recipes. A
/// new evaluation becomes ranged changes, so that what is expanded, selected or being edited stays so.
class RecipeModel final : public QAbstractItemModel {
    Q_OBJECT
public:
    /// OtherA and OtherB: the recipes that are compared with; empty without one.
    enum Column { Key, Yours, NemoYaml, NemoCode, Effective, OtherA, OtherB, Origin, ColumnCount };
    enum Role {
        KeyRole = Qt::UserRole + 1, ///< full dotted key
        LeafRole,
        TypeRole,
        ChoicesRole,
        DiffersRole,  ///< of the row, or of any row below: from the compared recipes, without one from NeMo
        RanksRole,    ///< acts on collectives, batches per rank, or layout
        ErrorRole,    ///< text of the first error at this key
        LineRole,     ///< in the file; 0: not there
        SearchRole,   ///< key, values and risk, as the search reads them
        SwitchRole,   ///< of a bool in column Yours: what the switch shows; invalid: no switch
        ProblemsRole, ///< errors, warnings, dangers and cautions below a section
        TipRole,      ///< plain text of the tool tip
        SpecRole,     ///< const config::KeySpec* as const void*; null: nobody lists the key
        WorstRole,    ///< int of ui::Severity: of the key, or of all below a section; invalid: no mark
    };
    static constexpr const char* kMimeType = "application/x-rankscope-key";

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
    QStringList mimeTypes() const override;
    QMimeData* mimeData(const QModelIndexList& indexes) const override;
    Qt::DropActions supportedDropActions() const override { return Qt::MoveAction; }
    bool canDropMimeData(const QMimeData* data, Qt::DropAction action, int row, int column,
                         const QModelIndex& parent) const override;
    bool dropMimeData(const QMimeData* data, Qt::DropAction action, int row, int column,
                      const QModelIndex& parent) override;

    /// Null: empty. `prepared`: the evaluation's keyTree(), where there is one already; it is taken apart.
    void setEvaluation(const Evaluation& evaluation, std::shared_ptr<RecipeTree> prepared = nullptr);
    /// Shows at once what was written at a key, until the next evaluation.
    void preview(const QString& key, const config::ValueText& yours);
    /// Replaces the evaluation's risks by those that also consider the machine and the manifests, and adds what a
    /// launch would be refused for.
    void setRisks(const std::vector<config::Risk>& risks, const std::vector<config::Problem>& refusals = {});
    const std::vector<config::Risk>& risks() const { return m_risks; }
    void setComparisons(const std::vector<Comparison>& others);
    void setReadOnly() { m_readOnly = true; }
    bool isReadOnly() const { return m_readOnly; }
    int comparisonCount() const { return static_cast<int>(m_others.size()); }
    const Evaluation& evaluation() const { return m_evaluation; }
    QModelIndex indexOf(const QString& key, int column = Key) const;
    /// The row whose value is at this line of the evaluated text, or the nearest one above.
    QModelIndex indexAtLine(int line) const;
    const config::KeyRow* row(const QModelIndex& index) const; ///< null: a section
    void retranslate();

signals:
    void editRequested(const QString& key, const QString& yaml);
    /// `key` goes into `section` ("" is the top), before the key `before` or, when that is empty, to the end.
    void moveRequested(const QString& key, const QString& section, const QString& before);

private:
    RecipeNode* nodeAt(const QModelIndex& index) const;
    QModelIndex indexFor(const RecipeNode* node, int column) const;
    void update(bool freshRows);
    void rebuild(std::shared_ptr<RecipeTree> fresh);
    void merge(RecipeNode* mine, RecipeNode& fresh);
    void changed(const RecipeNode* node);

    QVariant display(const RecipeNode& node, int column) const;
    QVariant fact(const RecipeNode& node, int column, int role) const;
    QVariant toolTip(const RecipeNode& node, int column) const;
    QVariant foreground(const RecipeNode& node, int column) const;

    std::shared_ptr<RecipeTree> m_tree;
    Evaluation m_evaluation;
    std::deque<config::KeyRow> m_previews; ///< rows that preview() made up
    std::vector<config::Risk> m_risks;
    std::vector<config::Problem> m_refusals;
    std::vector<Comparison> m_others;
    bool m_readOnly = false;
};

/// "your file", "override", "NeMo YAML", "NeMo code", "not set"
QString originWord(const config::KeyRow& row);

} // namespace rankscope::ui
