// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/runs_page/filter/run_fields.h"

#include <QString>

#include <memory>
#include <vector>

namespace rankscope::ui {

/// A filter of the table of runs, as an expression that was read by parseQuery().
class RunQuery {
public:
    enum class Compare { Has, Equal, NotEqual, Less, LessEqual, Greater, GreaterEqual };
    struct Node;
    using NodePtr = std::shared_ptr<const Node>;

    RunQuery() = default; ///< takes every run
    explicit RunQuery(NodePtr root) : m_root(std::move(root)) {}
    bool isEmpty() const { return !m_root; }
    /// `search`: searchTextOf(row), which callers keep.
    bool takes(const RunRow& row, const QString& search, qint64 nowNs) const;
    const Node* root() const { return m_root.get(); }

private:
    NodePtr m_root;
};

struct RunQuery::Node {
    enum class Kind { All, Any, Not, Word, Test } kind = Kind::Word;
    std::vector<NodePtr> parts; ///< of All, Any, Not
    QString word;               ///< of Word; of Test: the value as written
    RunField field;             ///< of Test
    Compare compare = Compare::Has;
    double number = RunFigures::kNone; ///< of Test: the value in the field's unit, NaN: it is none
};

} // namespace rankscope::ui
