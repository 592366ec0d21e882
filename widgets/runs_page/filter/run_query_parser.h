// SPDX-License-Identifier: GPL-3.0-or-later
// The filter of the table of runs, docs/runs.md:
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
    int at = 0, length = 0; ///< characters of the expression
    friend bool operator==(const QueryError&, const QueryError&) = default;
};

/// `settings`: keys that runs have; other names without a dot are errors, with the nearest name.
std::variant<RunQuery, QueryError> parseQuery(const QString& text, const QSet<QString>& settings);

/// Where a name or value begins that ends at the caret, for completion; `field` names what is compared when the caret
/// is in a value.
struct QueryPlace {
    int begin = 0;
    QString typed;
    std::optional<RunField> field;
};
QueryPlace queryPlace(const QString& text, int caret);

} // namespace rankscope::ui
