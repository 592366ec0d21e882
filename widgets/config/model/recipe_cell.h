// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/config/effective/effective.h"
#include "widgets/config/model/recipe_columns.h"

#include <QCoreApplication>
#include <QVariant>

namespace rankscope::ui {

struct RecipeNode;

/// Says what one cell of the recipe's tree shows: its text, tool tip, font and colour, and the facts that its row is
/// found and marked by.
class RecipeCell : public RecipeColumns {
    Q_DECLARE_TR_FUNCTIONS(RecipeCell)
public:
    /// `readOnly`: no value is shown as a switch.
    RecipeCell(const RecipeNode& node, int column, bool readOnly)
        : m_node(node), m_column(column), m_readOnly(readOnly) {}
    /// Returns the value for a role of Qt's or of RecipeColumns; invalid: the cell has none.
    QVariant data(int role) const;

private:
    QVariant display() const;
    QVariant toolTip() const;
    QVariant foreground() const;
    QVariant font() const;
    QVariant worst() const;
    QVariant fact(int role) const;
    bool isDifferent() const;

    const RecipeNode& m_node;
    int m_column;
    bool m_readOnly;
};

/// Returns "your file", "override", "NeMo YAML", "NeMo code" or "not set".
QString originWord(const config::KeyRow& row);

} // namespace rankscope::ui
