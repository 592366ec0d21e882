// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/config/recipe/comparisons.h"

#include <QHash>
#include <QString>

#include <array>
#include <deque>
#include <memory>
#include <unordered_map>
#include <vector>

namespace rankscope::ui {

/// Counts the marked leaves at or below a node, by kind of mark.
struct RecipeCounts {
    int differing = 0;
    int problems = 0; ///< errors, warnings, dangers and cautions
    int errors = 0;   ///< of these, the errors
    int dangers = 0;  ///< and the dangers

    bool operator==(const RecipeCounts&) const = default;
    RecipeCounts& operator+=(const RecipeCounts& more);
    RecipeCounts operator-() const { return {-differing, -problems, -errors, -dangers}; }
};

/// Marks of a leaf, in addition to its row.
struct RecipeMarks {
    QString error, warning;
    QString related;                                        ///< an error of another key that names this one
    QString risk;                                           ///< one line, in the window's language
    int dangers = 0, cautions = 0;                          ///< risks of these severities
    std::array<std::optional<config::ValueText>, 2> others; ///< the compared recipes' effective values
    std::array<bool, 2> otherDiffers{};
    bool rowDiffers = false;

    bool operator==(const RecipeMarks&) const = default;
    const QString& anyError() const { return error.isEmpty() ? related : error; }
    RecipeCounts counts() const;
};

/// A row of the recipe's tree.
struct RecipeNode : RecipeMarks {
    QString name;
    RecipeNode* parent = nullptr;
    int at = 0; ///< among the parent's children
    std::vector<std::unique_ptr<RecipeNode>> children;
    QHash<QString, RecipeNode*> leaves, sections; ///< the same, by name
    bool leaf = false;
    const config::KeyRow* row; ///< of a leaf: owned elsewhere; of a section: an empty one
    int number = -1;           ///< of a leaf: index of its row in the evaluation; -1: none
    RecipeCounts total;        ///< of the leaves at or below

    RecipeNode();
    QString key() const;
    RecipeNode* child(const QString& wanted, bool wantLeaf) const;
    RecipeNode* add(const QString& childName, bool asLeaf);
    void insert(int position, std::unique_ptr<RecipeNode> child);
    std::unique_ptr<RecipeNode> take(int position);
    /// Sets what a leaf shows and counts it in the sections above. Returns false if nothing has changed.
    bool show(const config::KeyRow* shown, RecipeMarks marks);

private:
    void renumber(int from);
};

/// Returns whether the two rows look the same when shown.
bool sameShown(const config::KeyRow& a, const config::KeyRow& b);

struct RecipeTree {
    std::unique_ptr<RecipeNode> root = std::make_unique<RecipeNode>();
    std::vector<RecipeNode*> leaves;   ///< by row of the evaluation; null: a duplicate key
    std::deque<config::KeyRow> absent; ///< rows of leaves that only the compared recipes have

    RecipeNode* add(const config::KeyRow& row);          ///< null: it exists already
    RecipeNode* leafOf(const config::KeyRow& row) const; ///< null: there is none
    /// Adds the keys that only the compared recipes have.
    void addAbsent(const config::Effective& mine, const std::vector<Comparison>& others);
    void collectLeaves(std::size_t rows); ///< call again after nodes were added or removed
};

/// Builds the tree of the keys only; the rows still belong to the evaluation, which must outlive the tree.
std::shared_ptr<RecipeTree> keyTree(const config::Effective& mine);

/// Returns the recipe's other keys that an error names, either in full or, in the same section, by their last part. Any
/// of them may be the key that was edited.
std::vector<std::string> relatedKeys(const config::Effective& mine, const config::Problem& error);

/// Returns whether this risk warns about the problem for which a launch is refused, so that both are one issue.
bool isSameMatter(const config::Problem& refusal, const config::Risk& risk);

/// Computes the marks of each row from problems, risks and compared recipes.
class RecipeMarker {
public:
    /// `refusals`: errors that only the dry run finds.
    RecipeMarker(const config::Effective& mine, const std::vector<config::Risk>& risks,
                 const std::vector<config::Problem>& refusals, const std::vector<Comparison>& others);
    RecipeMarks of(const config::KeyRow& row) const;

private:
    void add(const config::Effective& mine, const config::Problem& problem);

    const std::vector<Comparison>& m_others;
    std::unordered_map<std::string, RecipeMarks> m_marks;
    bool m_comparing = false;
};

} // namespace rankscope::ui
