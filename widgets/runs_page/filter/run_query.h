// SPDX-License-Identifier: GPL-3.0-or-later
// The filter of the table of runs, docs/runs.md:
//   expression := all { "or" all }          all := one { ["and"] one }         one := "not" one | "(" expression ")" |
//   test test := word | name (":" | "=" | "!=" | "<" | "<=" | ">" | ">=") value     word, value: plain or "quoted"
#pragma once

#include "widgets/runs_page/filter/run_fields.h"

#include <QSet>
#include <QString>

#include <memory>
#include <optional>
#include <variant>
#include <vector>

namespace rankscope::ui {

/// A filter of the table of runs, as parsed by parseQuery().
class RunQuery {
public:
    enum class Compare { Has, Equal, NotEqual, Less, LessEqual, Greater, GreaterEqual };
    struct Term;
    using TermPtr = std::shared_ptr<const Term>;

    RunQuery() = default; ///< accepts every run
    explicit RunQuery(TermPtr root) : m_root(std::move(root)) {}
    bool isEmpty() const { return !m_root; }
    /// Returns whether the filter accepts a run. `search` is searchTextOf(row), which callers cache.
    bool takes(const RunRow& row, const QString& search, qint64 nowNs) const;
    const Term* root() const { return m_root.get(); }

private:
    TermPtr m_root;
};

struct RunQuery::Term {
    enum class TermKind { All, Any, Not, Word, Test } kind = TermKind::Word;
    std::vector<TermPtr> parts; ///< of All, Any, Not
    QString word;               ///< of Word; of Test: the value as typed
    RunField field;             ///< of Test
    Compare compare = Compare::Has;
    double number = RunFigures::kNone; ///< of Test: the value in the field's unit; NaN: not a number
    double end = RunFigures::kNone;    ///< of a moment: end of the day or minute that was typed
};

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
