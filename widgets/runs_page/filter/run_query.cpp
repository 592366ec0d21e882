// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/runs_page/filter/run_query.h"

#include <cmath>

namespace rankscope::ui {

namespace {

using Compare = RunQuery::Compare;
using Node = RunQuery::Node;

bool holds(double value, Compare compare, double wanted) {
    switch (compare) {
    case Compare::Less:
        return value < wanted;
    case Compare::LessEqual:
        return value <= wanted;
    case Compare::Greater:
        return value > wanted;
    case Compare::GreaterEqual:
        return value >= wanted;
    default:
        // what is shown with four digits is meant by them
        return std::abs(value - wanted) <= 5e-4 * std::abs(wanted);
    }
}

bool ordered(Compare compare) {
    return compare != Compare::Has && compare != Compare::Equal && compare != Compare::NotEqual;
}

bool same(const QString& a, const QString& b) {
    return a.compare(b, Qt::CaseInsensitive) == 0;
}

bool tagTaken(const RunRow& row, const QString& wanted) {
    for (const auto& tag : row.tags())
        if (same(QString::fromStdString(tag), wanted))
            return true;
    return false;
}

bool stateTaken(const RunRow& row, const Cell& cell, const QString& wanted) {
    if (same(cell.text, wanted))
        return true;
    if (!row.problem.isEmpty())
        return same(wanted, QStringLiteral("damaged"));
    if (same(wanted, QStringLiteral("live")))
        return row.isLive();
    if (same(wanted, QStringLiteral("stalled")))
        return row.now().isStalled();
    const auto name = launch::runStateName(row.info.state);
    return same(QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size())), wanted);
}

bool flagTaken(const Cell& cell, const QString& wanted) {
    static const QStringList yes{QStringLiteral("yes"), QStringLiteral("true"), QStringLiteral("1")};
    return (cell.number > 0) == yes.contains(wanted, Qt::CaseInsensitive);
}

/// "abc" and 'abc' of YAML are abc.
QString unquoted(const QString& text) {
    const bool quoted = text.size() >= 2 && text.front() == text.back() &&
                        (text.front() == QLatin1Char('"') || text.front() == QLatin1Char('\''));
    return quoted ? text.mid(1, text.size() - 2) : text;
}

/// For a setting that is a number exactly, else as text.
bool settingTaken(const Cell& cell, const Node& test) {
    const bool numbers = !std::isnan(cell.number) && !std::isnan(test.number);
    if (ordered(test.compare))
        return numbers && holds(cell.number, test.compare, test.number);
    if (numbers)
        return cell.number == test.number;
    return test.compare == Compare::Has ? cell.text.contains(test.word, Qt::CaseInsensitive)
                                        : same(unquoted(cell.text), test.word);
}

bool testTaken(const Node& test, const RunRow& row, qint64 nowNs) {
    if (test.compare == Compare::NotEqual) {
        Node equal = test;
        equal.compare = Compare::Equal;
        return !testTaken(equal, row, nowNs);
    }
    if (test.field.kind() == FieldKind::Tags)
        return tagTaken(row, test.word);
    const Cell cell = cellOf(row, test.field, nowNs);
    if (test.field.kind() == FieldKind::State)
        return stateTaken(row, cell, test.word);
    if (test.field.kind() == FieldKind::Flag)
        return flagTaken(cell, test.word);
    if (cell.isMissing())
        return false;
    if (test.field.isSetting())
        return settingTaken(cell, test);
    if (test.field.isNumber())
        return holds(cell.number, test.compare, test.number);
    return test.compare == Compare::Has ? cell.text.contains(test.word, Qt::CaseInsensitive)
                                        : same(cell.text, test.word);
}

bool taken(const Node& node, const RunRow& row, const QString& search, qint64 nowNs) {
    const auto part = [&](const RunQuery::NodePtr& one) { return taken(*one, row, search, nowNs); };
    switch (node.kind) {
    case Node::Kind::All:
        return std::all_of(node.parts.begin(), node.parts.end(), part);
    case Node::Kind::Any:
        return std::any_of(node.parts.begin(), node.parts.end(), part);
    case Node::Kind::Not:
        return !part(node.parts.front());
    case Node::Kind::Word:
        return search.contains(node.word, Qt::CaseInsensitive);
    case Node::Kind::Test:
        break;
    }
    return testTaken(node, row, nowNs);
}

} // namespace

bool RunQuery::takes(const RunRow& row, const QString& search, qint64 nowNs) const {
    return !m_root || taken(*m_root, row, search, nowNs);
}

} // namespace rankscope::ui
