// SPDX-License-Identifier: GPL-3.0-or-later
// Parses the filter of the table of runs, docs/runs.md:
//   expression := all { "or" all }          all := one { ["and"] one }         one := "not" one | "(" expression ")" |
//   test test := word | name (":" | "=" | "!=" | "<" | "<=" | ">" | ">=") value     word, value: plain or "quoted"
#pragma once

#include "widgets/runs_page/filter/run_query.h"

#include <QSet>
#include <QString>

#include <optional>
#include <variant>

namespace rankscope::ui {

struct QueryError {
    QString text;
    int at = 0, length = 0; ///< position in the expression, in characters
    friend bool operator==(const QueryError&, const QueryError&) = default;
};

/// Parses a filter. `settings` are the keys that runs have; other names without a dot are errors, which suggest the
/// nearest name.
std::variant<RunQuery, QueryError> parseQuery(const QString& text, const QSet<QString>& settings);

/// The start of the name or value that ends at the caret, for completion; `field` names the compared field if the caret
/// is in a value.
struct QueryPlace {
    int begin = 0;
    QString typed;
    std::optional<RunField> field;
};
QueryPlace queryPlace(const QString& text, int caret);

} // namespace rankscope::ui
