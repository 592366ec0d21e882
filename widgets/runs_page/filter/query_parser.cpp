// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/runs_page/filter/query_parser.h"

#include "core/base/text/unit_format.h"

#include <QCoreApplication>
#include <QDateTime>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace rankscope::ui {

namespace {

struct QueryLabels {
    Q_DECLARE_TR_FUNCTIONS(QueryLabels)
};

constexpr int kDeepest = 100; ///< the parser is recursive

struct OpText {
    const char* text;
    RunQuery::Compare compare;
};
// longer operators first
constexpr OpText kOps[] = {{"!=", RunQuery::Compare::NotEqual},     {"<=", RunQuery::Compare::LessEqual},
                           {">=", RunQuery::Compare::GreaterEqual}, {"==", RunQuery::Compare::Equal},
                           {":", RunQuery::Compare::Has},           {"=", RunQuery::Compare::Equal},
                           {"<", RunQuery::Compare::Less},          {">", RunQuery::Compare::Greater}};

bool endsWord(QChar c) {
    return c.isSpace() || QStringLiteral("()\":=<>!").contains(c);
}
bool endsValue(QChar c) {
    return c.isSpace() || c == QLatin1Char('(') || c == QLatin1Char(')') || c == QLatin1Char('"');
}

struct Unit {
    const char* name;
    double factor;
};
constexpr Unit kSeconds[] = {{"", 1},   {"s", 1},    {"us", 1e-6}, {"ms", 1e-3},
                             {"m", 60}, {"min", 60}, {"h", 3600},  {"d", 86400}};
constexpr Unit kBytes[] = {{"", 1},     {"B", 1},    {"KiB", 1024}, {"MiB", 1048576}, {"GiB", 1073741824},
                           {"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}};
constexpr Unit kCounts[] = {{"", 1}, {"k", 1e3}, {"M", 1e6}};

template <std::size_t N> std::optional<double> inUnits(const QString& text, const Unit (&units)[N]) {
    qsizetype digits = text.size();
    while (digits > 0 && text[digits - 1].isLetter())
        --digits;
    const QString unit = text.mid(digits);
    const auto number = numberOf(text.left(digits).trimmed().toStdString());
    for (const Unit& one : units)
        if (number && unit.compare(QLatin1String(one.name), Qt::CaseInsensitive) == 0)
            return *number * one.factor;
    return std::nullopt;
}

double secondsOf(const QDateTime& at) {
    return static_cast<double>(at.toMSecsSinceEpoch()) * 1e-3;
}

/// Returns the end of the day, minute or second in the text.
double momentEnd(const QString& text) {
    const QDateTime at = QDateTime::fromString(text, Qt::ISODate);
    const bool isDay = !text.contains(QLatin1Char('T')), hasSeconds = text.count(QLatin1Char(':')) > 1;
    return secondsOf(isDay ? at.addDays(1) : at.addSecs(hasSeconds ? 1 : 60));
}

/// Returns "5 min", "250ms", "1.5h", "2GiB", "10k", "2026-01-31" or "2026-01-31T12:30" in the field's unit; none if the
/// text cannot be parsed.
std::optional<double> queryNumber(const QString& text, const RunField& field) {
    switch (field.kind()) {
    case FieldKind::Seconds:
        return inUnits(text, kSeconds);
    case FieldKind::Bytes:
        return inUnits(text, kBytes);
    case FieldKind::Count:
        return inUnits(text, kCounts);
    case FieldKind::Moment: {
        const QDateTime at = QDateTime::fromString(text, Qt::ISODate);
        return at.isValid() ? std::optional(secondsOf(at)) : std::nullopt;
    }
    default:
        return numberOf(text.toStdString());
    }
}

/// Parses an expression by recursive descent over its characters; stops at the first error.
class QueryParser {
public:
    QueryParser(const QString& text, const QSet<QString>& settings) : m_text(text), m_settings(settings) {}

    std::variant<RunQuery, QueryError> run() {
        skip();
        if (m_at == m_text.size())
            return RunQuery();
        RunQuery::TermPtr root = any();
        if (!m_error && m_at < m_text.size())
            fail(m_at, 1,
                 m_text[m_at] == QLatin1Char(')') ? QueryLabels::tr("This closing bracket has no opening one.")
                                                  : QueryLabels::tr("A word or a comparison is expected here."));
        if (m_error)
            return *m_error;
        return RunQuery(root);
    }

private:
    RunQuery::TermPtr fail(qsizetype at, qsizetype length, const QString& text) {
        if (!m_error)
            m_error = QueryError{text, static_cast<int>(at), static_cast<int>(length)};
        return nullptr;
    }

    void skip() {
        while (m_at < m_text.size() && m_text[m_at].isSpace())
            ++m_at;
    }

    bool sees(QChar c) const { return m_at < m_text.size() && m_text[m_at] == c; }

    /// Consumes "and", "or" or "not" if it comes next as a separate word; returns whether it did.
    bool keyword(const char* word) {
        const QLatin1String wanted(word);
        if (QStringView(m_text).mid(m_at, wanted.size()).compare(wanted, Qt::CaseInsensitive) != 0)
            return false;
        const qsizetype after = m_at + wanted.size();
        if (after < m_text.size() && !m_text[after].isSpace() && m_text[after] != QLatin1Char('(') &&
            m_text[after] != QLatin1Char(')'))
            return false;
        m_at = after;
        skip();
        return true;
    }

    RunQuery::TermPtr group(RunQuery::Term::TermKind kind, std::vector<RunQuery::TermPtr> parts) {
        if (m_error || parts.size() == 1)
            return m_error ? nullptr : parts.front();
        RunQuery::Term node;
        node.kind = kind;
        node.parts = std::move(parts);
        return std::make_shared<const RunQuery::Term>(std::move(node));
    }

    RunQuery::TermPtr any() {
        std::vector<RunQuery::TermPtr> parts{all()};
        while (!m_error && keyword("or"))
            parts.push_back(all());
        return group(RunQuery::Term::TermKind::Any, std::move(parts));
    }

    RunQuery::TermPtr all() {
        std::vector<RunQuery::TermPtr> parts{one()};
        while (!m_error && m_at < m_text.size() && !sees(QLatin1Char(')'))) {
            const qsizetype before = m_at;
            if (keyword("or")) {
                m_at = before;
                break;
            }
            (void)keyword("and");
            parts.push_back(one());
        }
        return group(RunQuery::Term::TermKind::All, std::move(parts));
    }

    RunQuery::TermPtr one() {
        if (++m_depth > kDeepest)
            return fail(m_at, 1, QueryLabels::tr("This is nested too deeply."));
        RunQuery::TermPtr node = unguarded();
        --m_depth;
        return node;
    }

    RunQuery::TermPtr unguarded() {
        skip();
        const qsizetype begin = m_at;
        if (keyword("not")) {
            RunQuery::TermPtr inner = one();
            if (m_error)
                return nullptr;
            RunQuery::Term node;
            node.kind = RunQuery::Term::TermKind::Not;
            node.parts = {std::move(inner)};
            return std::make_shared<const RunQuery::Term>(std::move(node));
        }
        for (const char* word : {"and", "or"})
            if (keyword(word)) {
                m_at = begin;
                return fail(
                    begin, static_cast<qsizetype>(qstrlen(word)),
                    QueryLabels::tr("\"%1\" needs something on both sides; put it in quotes to search for the word.")
                        .arg(QLatin1String(word)));
            }
        if (!sees(QLatin1Char('(')))
            return test();
        ++m_at;
        skip();
        if (sees(QLatin1Char(')')))
            return fail(begin, m_at + 1 - begin, QueryLabels::tr("These brackets are empty."));
        RunQuery::TermPtr inner = any();
        if (m_error)
            return nullptr;
        if (!sees(QLatin1Char(')')))
            return fail(begin, 1, QueryLabels::tr("This opening bracket has no closing one."));
        ++m_at;
        skip();
        return inner;
    }

    /// Reads a plain or quoted text; none on an error.
    template <class Ends> std::optional<QString> text(Ends ends) {
        const qsizetype begin = m_at;
        if (!sees(QLatin1Char('"'))) {
            while (m_at < m_text.size() && !ends(m_text[m_at]))
                ++m_at;
            return m_text.mid(begin, m_at - begin);
        }
        QString out;
        for (++m_at; m_at < m_text.size() && !sees(QLatin1Char('"')); ++m_at) {
            if (sees(QLatin1Char('\\')) && m_at + 1 < m_text.size())
                ++m_at;
            out += m_text[m_at];
        }
        if (m_at == m_text.size()) {
            fail(begin, 1, QueryLabels::tr("This quote is not closed."));
            return std::nullopt;
        }
        ++m_at;
        return out;
    }

    std::optional<RunQuery::Compare> op() {
        for (const OpText& one : kOps) {
            const QLatin1String wanted(one.text);
            if (QStringView(m_text).mid(m_at).startsWith(wanted)) {
                m_at += wanted.size();
                return one.compare;
            }
        }
        return std::nullopt;
    }

    RunQuery::TermPtr test() {
        const qsizetype begin = m_at;
        const bool quoted = sees(QLatin1Char('"'));
        const auto name = text(endsWord);
        if (!name)
            return nullptr;
        const qsizetype end = m_at;
        skip();
        const qsizetype opAt = m_at;
        const auto compare = quoted ? std::nullopt : op();
        if (compare)
            return comparison(*name, begin, end, *compare, opAt);
        if (name->isEmpty() && !quoted)
            return fail(begin, 1,
                        begin < m_text.size() ? QueryLabels::tr("A word or a comparison is expected here.")
                                              : QueryLabels::tr("Something is missing at the end."));
        RunQuery::Term node;
        node.word = *name;
        return std::make_shared<const RunQuery::Term>(std::move(node));
    }

    RunQuery::TermPtr comparison(const QString& name, qsizetype begin, qsizetype end, RunQuery::Compare compare,
                                 qsizetype opAt) {
        const qsizetype opEnd = m_at;
        if (name.isEmpty())
            return fail(opAt, opEnd - opAt, QueryLabels::tr("A name is missing on the left, as in loss<5."));
        RunQuery::Term node;
        node.kind = RunQuery::Term::TermKind::Test;
        node.compare = compare;
        if (const auto known = builtinField(name))
            node.field = *known;
        else if (name.contains(QLatin1Char('.')) || m_settings.contains(name))
            node.field = settingField(name);
        else
            return fail(begin, end - begin, unknown(name));
        skip();
        const qsizetype valueAt = m_at;
        const auto value = text(endsValue);
        if (!value)
            return nullptr;
        if (m_at == valueAt)
            return fail(opAt, opEnd - opAt,
                        QueryLabels::tr("A value is missing after \"%1\".").arg(m_text.mid(opAt, opEnd - opAt)));
        node.word = *value;
        node.number = queryNumber(*value, node.field).value_or(RunFigures::kNone);
        if (node.field.kind() == FieldKind::Moment)
            node.end = momentEnd(*value);
        if (const QString wrong = wrongValue(node); !wrong.isEmpty())
            return fail(valueAt, m_at - valueAt, wrong);
        skip();
        return std::make_shared<const RunQuery::Term>(std::move(node));
    }

    static QString wrongValue(const RunQuery::Term& node) {
        const bool order = node.isOrder();
        const QString name = QString::fromStdString(node.field.key);
        if (node.field.isNumber() && std::isnan(node.number))
            switch (node.field.kind()) {
            case FieldKind::Seconds:
                return QueryLabels::tr("%1 takes a duration, such as 90, 1.5h or 250ms.").arg(name);
            case FieldKind::Bytes:
                return QueryLabels::tr("%1 takes a size, such as 800MB or 2GB.").arg(name);
            case FieldKind::Moment:
                return QueryLabels::tr("%1 takes a date, such as 2026-01-31 or 2026-01-31T12:30.").arg(name);
            default:
                return QueryLabels::tr("%1 takes a number.").arg(name);
            }
        if (order && !node.field.isNumber() && !node.field.isSetting())
            return QueryLabels::tr("%1 is not a number; use %1:%2.").arg(name, node.word);
        if (order && std::isnan(node.number))
            return QueryLabels::tr("< and > need a number.");
        return {};
    }

    QString unknown(const QString& name) const {
        std::vector<std::string> names;
        for (const RunField& field : builtinFields())
            names.push_back(field.key);
        for (const QString& key : m_settings)
            names.push_back(key.toStdString());
        const std::string near = nearestWord(name.toStdString(), names);
        return near.empty()
                   ? QueryLabels::tr("There is no column or setting named %1; put it in quotes to search for the word.")
                         .arg(name)
                   : QueryLabels::tr("There is no column or setting named %1; did you mean %2?")
                         .arg(name, QString::fromStdString(near));
    }

    const QString& m_text;
    const QSet<QString>& m_settings;
    qsizetype m_at = 0;
    int m_depth = 0;
    std::optional<QueryError> m_error;
};

} // namespace

std::variant<RunQuery, QueryError> parseQuery(const QString& text, const QSet<QString>& settings) {
    return QueryParser(text, settings).run();
}

QueryPlace queryPlace(const QString& text, int caret) {
    QueryPlace place;
    const qsizetype end = std::clamp<qsizetype>(caret, 0, text.size());
    qsizetype begin = end;
    while (begin > 0 && !endsWord(text[begin - 1]))
        --begin;
    place.begin = static_cast<int>(begin);
    place.typed = text.mid(begin, end - begin);
    qsizetype op = begin;
    while (op > 0 && QStringLiteral(":=<>!").contains(text[op - 1]))
        --op;
    if (op == begin)
        return place;
    qsizetype name = op;
    while (name > 0 && !endsWord(text[name - 1]))
        --name;
    if (name < op)
        place.field = fieldOf(text.mid(name, op - name));
    return place;
}

} // namespace rankscope::ui
