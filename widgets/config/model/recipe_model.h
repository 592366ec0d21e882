// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/config/model/recipe_columns.h"
#include "widgets/config/recipe/comparisons.h"

#include <QAbstractItemModel>

#include <deque>
#include <memory>
#include <vector>

namespace rankscope::ui {

struct RecipeNode;
struct RecipeTree;

/// Presents the whole recipe as a tree by dotted key, with its values next to NeMo's and those of up to two compared
/// recipes. A new evaluation becomes ranged changes, so that expansion, selection and open editors are kept.
class RecipeModel final : public QAbstractItemModel, public RecipeColumns {
    Q_OBJECT
public:
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
    /// Accepts the new value as YAML and emits editRequested(); the next evaluation shows it.
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;
    QStringList mimeTypes() const override;
    QMimeData* mimeData(const QModelIndexList& indexes) const override;
    Qt::DropActions supportedDropActions() const override { return Qt::MoveAction; }
    bool canDropMimeData(const QMimeData* data, Qt::DropAction action, int row, int column,
                         const QModelIndex& parent) const override;
    bool dropMimeData(const QMimeData* data, Qt::DropAction action, int row, int column,
                      const QModelIndex& parent) override;

    /// Sets the evaluation; null: empty. `prepared`: its keyTree(), if it has been built already; its contents are
    /// moved out.
    void setEvaluation(const Evaluation& evaluation, std::shared_ptr<RecipeTree> prepared = nullptr);
    /// Shows a newly written value of a key immediately, until the next evaluation.
    void preview(const QString& key, const config::ValueText& yours);
    /// Replaces the evaluation's risks with those that also consider the machine and the manifests, and adds the
    /// reasons why a launch would be refused.
    void setRisks(const std::vector<config::Risk>& risks, const std::vector<config::Problem>& refusals = {});
    const std::vector<config::Risk>& risks() const { return m_risks; }
    void setComparisons(const std::vector<Comparison>& others);
    void setReadOnly() { m_readOnly = true; }
    bool isReadOnly() const { return m_readOnly; }
    int comparisonCount() const { return static_cast<int>(m_others.size()); }
    const Evaluation& evaluation() const { return m_evaluation; }
    QModelIndex indexOf(const QString& key, int column = Key) const;
    /// Returns the row whose value is at this line of the evaluated text, or the nearest one above.
    QModelIndex indexAtLine(int line) const;
    const config::KeyRow* row(const QModelIndex& index) const; ///< null: a section
    void retranslate();

signals:
    void editRequested(const QString& key, const QString& yaml);
    /// Asks to move `key` into `section` ("" is the top level), before the key `before` or, if that is empty, to the
    /// end.
    void moveRequested(const QString& key, const QString& section, const QString& before);

private:
    RecipeNode* nodeAt(const QModelIndex& index) const;
    QModelIndex indexFor(const RecipeNode* node, int column) const;
    void update(bool freshRows);
    void rebuild(std::shared_ptr<RecipeTree> fresh);
    void merge(RecipeNode* mine, RecipeNode& fresh);
    void changed(const RecipeNode* node);

    std::shared_ptr<RecipeTree> m_tree;
    Evaluation m_evaluation;
    std::deque<config::KeyRow> m_previews; ///< rows created by preview()
    std::vector<config::Risk> m_risks;
    std::vector<config::Problem> m_refusals;
    std::vector<Comparison> m_others;
    bool m_readOnly = false;
};

} // namespace rankscope::ui
