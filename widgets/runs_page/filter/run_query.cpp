// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/runs_page/filter/run_query.h"

#include "core/base/text/unit_format.h"
#include "core/base/values/saturating.h"
#include "widgets/models/text/text_format.h"

#include <algorithm>
#include <cmath>

namespace rankscope::ui {

namespace {

bool holds(double value, RunQuery::Compare compare, double wanted) {
    switch (compare) {
    case RunQuery::Compare::Less:
        return value < wanted;
    case RunQuery::Compare::LessEqual:
        return value <= wanted;
    case RunQuery::Compare::Greater:
        return value > wanted;
    case RunQuery::Compare::GreaterEqual:
        return value >= wanted;
    default:
        return value == wanted;
    }
}

/// Compares a moment; a day or minute in the filter means the whole of it.
bool momentHolds(double value, const RunQuery::Term& test) {
    if (test.compare == RunQuery::Compare::Less || test.compare == RunQuery::Compare::GreaterEqual)
        return holds(value, test.compare, test.number);
    if (test.compare == RunQuery::Compare::LessEqual || test.compare == RunQuery::Compare::Greater)
        return holds(value,
                     test.compare == RunQuery::Compare::Greater ? RunQuery::Compare::GreaterEqual
                                                                : RunQuery::Compare::Less,
                     test.end);
    return value >= test.number && value < test.end;
}

/// Returns a figure as the table shows it.
QString shownText(double value, const RunField& field) {
    switch (field.kind()) {
    case FieldKind::Seconds:
        return durationText(saturatingInt64(value * 1e9));
    case FieldKind::Bytes:
        return QString::fromStdString(formatBytes(saturatingInt64(value)));
    default:
        return figureText(field.id, value);
    }
}

/// Compares a figure. Counts are compared exactly; other figures are equal if the table shows them alike.
bool figureHolds(double value, const RunQuery::Term& test) {
    const FieldKind kind = test.field.kind();
    if (kind == FieldKind::Moment)
        return momentHolds(value, test);
    if (test.isOrder() || kind == FieldKind::Count)
        return holds(value, test.compare, test.number);
    return shownText(value, test.field) == shownText(test.number, test.field);
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

/// Returns a YAML string without its quotes: abc for "abc" and 'abc'.
QString unquoted(const QString& text) {
    const bool quoted = text.size() >= 2 && text.front() == text.back() &&
                        (text.front() == QLatin1Char('"') || text.front() == QLatin1Char('\''));
    return quoted ? text.mid(1, text.size() - 2) : text;
}

/// Compares a setting: exactly if it is a number, otherwise as text.
bool settingTaken(const Cell& cell, const RunQuery::Term& test) {
    const bool numbers = !std::isnan(cell.number) && !std::isnan(test.number);
    if (test.isOrder())
        return numbers && holds(cell.number, test.compare, test.number);
    if (numbers)
        return cell.number == test.number;
    return test.compare == RunQuery::Compare::Has ? cell.text.contains(test.word, Qt::CaseInsensitive)
                                                  : same(unquoted(cell.text), test.word);
}

bool testTaken(const RunQuery::Term& test, const RunRow& row, qint64 nowNs) {
    if (test.compare == RunQuery::Compare::NotEqual) {
        RunQuery::Term equal = test;
        equal.compare = RunQuery::Compare::Equal;
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
        return figureHolds(cell.number, test);
    return test.compare == RunQuery::Compare::Has ? cell.text.contains(test.word, Qt::CaseInsensitive)
                                                  : same(cell.text, test.word);
}

bool taken(const RunQuery::Term& node, const RunRow& row, const QString& search, qint64 nowNs) {
    const auto part = [&](const RunQuery::TermPtr& one) { return taken(*one, row, search, nowNs); };
    switch (node.kind) {
    case RunQuery::Term::TermKind::All:
        return std::all_of(node.parts.begin(), node.parts.end(), part);
    case RunQuery::Term::TermKind::Any:
        return std::any_of(node.parts.begin(), node.parts.end(), part);
    case RunQuery::Term::TermKind::Not:
        return !part(node.parts.front());
    case RunQuery::Term::TermKind::Word:
        return search.contains(node.word, Qt::CaseInsensitive);
    case RunQuery::Term::TermKind::Test:
        break;
    }
    return testTaken(node, row, nowNs);
}

} // namespace

bool RunQuery::Term::isOrder() const {
    return compare != Compare::Has && compare != Compare::Equal && compare != Compare::NotEqual;
}

bool RunQuery::takes(const RunRow& row, const QString& search, qint64 nowNs) const {
    return !m_root || taken(*m_root, row, search, nowNs);
}

} // namespace rankscope::ui
