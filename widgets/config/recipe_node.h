// SPDX-License-Identifier: GPL-3.0-or-later
// One row of the recipe's tree.
#pragma once

#include "widgets/config/comparison.h"

#include <QHash>
#include <QString>

#include <array>
#include <memory>
#include <vector>

namespace rankscope::ui {

struct RecipeNode {
    QString name;
    RecipeNode* parent = nullptr;
    int at = 0; ///< among the parent's children
    std::vector<std::unique_ptr<RecipeNode>> children;
    QHash<QString, RecipeNode*> leaves, sections; ///< the same, by name
    bool leaf = false;
    config::KeyRow row; ///< of a leaf
    QString error, warning;
    QString risk;                                           ///< one line, in the window's language
    std::optional<config::RiskSeverity> riskSeverity;       ///< the worst at this key
    std::array<std::optional<config::ValueText>, 2> others; ///< of a leaf: the compared recipes' effective values
    std::array<bool, 2> otherDiffers{};
    bool differs = false; ///< of a leaf, or of any below
    int problems = 0;     ///< errors and warnings at or below
    int errors = 0;       ///< of these, the errors

    QString key() const;
    RecipeNode* child(const QString& wanted, bool wantLeaf) const;
    RecipeNode* add(const QString& childName, bool asLeaf);
    void insert(int position, std::unique_ptr<RecipeNode> child);
    std::unique_ptr<RecipeNode> take(int position);
    bool sameShown(const RecipeNode& o) const;
    /// Takes what is shown of the other one, not its children.
    void show(RecipeNode& o);

private:
    void renumber(int from);
};

/// The tree of an evaluation; a null evaluation has no rows.
std::unique_ptr<RecipeNode> recipeTree(const Evaluation& evaluation, const std::vector<config::Risk>& risks,
                                       const std::vector<Comparison>& others);

} // namespace rankscope::ui
