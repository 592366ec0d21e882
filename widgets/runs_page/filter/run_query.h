// SPDX-License-Identifier: GPL-3.0-or-later
// The filter of the table of runs, as a tree of terms. query_parser.h makes it from text.
#pragma once

#include "widgets/runs_page/filter/run_fields.h"

#include <QString>

#include <memory>
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

    /// Returns whether it compares by order: <, <=, > or >=.
    bool isOrder() const;
};

} // namespace rankscope::ui
