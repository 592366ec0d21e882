// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <Qt>

namespace rankscope::ui {

/// The columns and roles of the recipe's tree. A base class, because GCC 12 cannot compile a using-enum-declaration of
/// them that a generic lambda refers to.
struct RecipeColumns {
    /// OtherA and OtherB are the compared recipes; empty if there is none.
    enum RecipeColumn { Key, Yours, NemoYaml, NemoCode, Effective, OtherA, OtherB, Origin, ColumnCount };
    enum RecipeRole {
        KeyRole = Qt::UserRole + 1, ///< full dotted key
        LeafRole,
        TypeRole,
        ChoicesRole,
        DiffersRole,  ///< this row or any below differs: from the compared recipes, or from NeMo if there are none
        RanksRole,    ///< affects collectives, batches per rank, or layout
        ErrorRole,    ///< text of the first error at this key
        LineRole,     ///< in the file; 0: not in it
        SearchRole,   ///< key, values and risk, as used by the search
        SwitchRole,   ///< of a bool in column Yours: the switch's state; invalid: no switch
        ProblemsRole, ///< errors, warnings, dangers and cautions below a section
        TipRole,      ///< plain text of the tool tip
        SpecRole,     ///< const config::KeySpec* as const void*; null: the key is unknown
        WorstRole,    ///< int of ui::Severity: of the key, or the most severe below a section; invalid: no mark
    };
};

} // namespace rankscope::ui
