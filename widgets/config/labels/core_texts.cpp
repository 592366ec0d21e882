// SPDX-License-Identifier: GPL-3.0-or-later
// Messages of the core carry their translation. Other texts of it are English; this file translates them. Each template
// is matched against the whole text. The values found at %1, %2 … are inserted into the translation; a value that is itself a phrase of the
// core is translated first. A sentence without a template stays English.
#include "widgets/config/labels/core_texts.h"

#include "widgets/config/labels/problem_templates.h"
#include "widgets/models/text/text_format.h"

#include <QCoreApplication>
#include <QHash>
#include <QLocale>
#include <QRegularExpression>

#include <algorithm>

namespace rankscope::ui {

namespace {

struct Template {
    const char* context;
    const char* english;
    QRegularExpression pattern;
    QList<int> numbers; ///< the slot number of each capture
    QString longest;    ///< the longest fixed part, looked for before the pattern is tried
    qsizetype fixed = 0;
};

/// Appends `more` to a text. Chinese puts a space next to a Latin letter or a digit; a translation cannot do this for
/// its slots.
void append(QString& text, const QString& more) {
    const auto han = [](QChar c) { return c.script() == QChar::Script_Han; };
    const auto latin = [](QChar c) { return c.unicode() > 0x20 && c.unicode() < 0x7f; };
    if (!text.isEmpty() && !more.isEmpty() &&
        ((han(text.back()) && latin(more.front())) || (latin(text.back()) && han(more.front()))))
        text += u' ';
    text += more;
}

/// Fills the slots of a pattern. QString::arg() will not do, because a value may itself contain "%1".
template <class Value> QString fill(const QString& pattern, Value value) {
    static const QRegularExpression slot(QStringLiteral("%(\\d)"));
    QString out;
    qsizetype from = 0;
    for (auto it = slot.globalMatch(pattern); it.hasNext();) {
        const auto at = it.next();
        append(out, pattern.mid(from, at.capturedStart() - from));
        append(out, value(at.captured(1).toInt()));
        from = at.capturedEnd();
    }
    append(out, pattern.mid(from));
    return out;
}

class Templates {
public:
    Templates() {
        for (const char* english : problemTemplates())
            add("core", english);
        // the most specific first: templates with more fixed text
        std::stable_sort(m_patterns.begin(), m_patterns.end(),
                         [](const Template& a, const Template& b) { return a.fixed > b.fixed; });
    }

    /// Translates a sentence, even if it is preceded by the file, key or option it is about; each line separately.
    QString sentence(const QString& text, int depth) const {
        if (QString whole = translated(text, depth); !whole.isEmpty())
            return whole;
        if (text.contains(QLatin1Char('\n'))) {
            QStringList lines = text.split(QLatin1Char('\n'));
            for (QString& line : lines)
                if (const QString one = sentence(line, depth); !one.isEmpty())
                    line = one;
            return lines.join(QLatin1Char('\n'));
        }
        static const QString colon = QStringLiteral(": ");
        for (auto at = text.indexOf(colon); at > 0; at = text.indexOf(colon, at + colon.size()))
            if (const QString what = translated(text.mid(at + colon.size()), depth); !what.isEmpty())
                return placedText(text.left(at), what);
        return {};
    }

private:
    QString translated(const QString& text, int depth) const {
        if (const auto exact = m_exact.constFind(text); exact != m_exact.constEnd())
            return QCoreApplication::translate(exact->first, exact->second);
        for (const Template& one : m_patterns) {
            if (!text.contains(one.longest))
                continue;
            const auto match = one.pattern.match(text);
            if (match.hasMatch() && sameSlotsAgree(one, match))
                return filled(one, match, depth);
        }
        return {};
    }

    void add(const char* context, const char* english) {
        static const QRegularExpression slot(QStringLiteral("%(\\d)"));
        const QString whole = QString::fromUtf8(english);
        if (!whole.contains(slot)) {
            m_exact.insert(whole, {context, english});
            return;
        }
        Template one{context, english, {}, {}, {}};
        QStringList parts;
        qsizetype from = 0;
        for (auto it = slot.globalMatch(whole); it.hasNext();) {
            const auto match = it.next();
            parts << whole.mid(from, match.capturedStart() - from);
            one.numbers << match.captured(1).toInt();
            from = match.capturedEnd();
        }
        parts << whole.mid(from);
        QStringList escaped;
        for (const QString& part : parts) {
            escaped << QRegularExpression::escape(part);
            one.fixed += part.size();
            if (part.size() > one.longest.size())
                one.longest = part;
        }
        one.pattern.setPattern(QRegularExpression::anchoredPattern(escaped.join(QStringLiteral("(.+?)"))));
        one.pattern.setPatternOptions(QRegularExpression::DotMatchesEverythingOption);
        m_patterns.push_back(std::move(one));
    }

    static bool sameSlotsAgree(const Template& one, const QRegularExpressionMatch& match) {
        for (int i = 0; i < one.numbers.size(); ++i)
            if (match.captured(i + 1) != match.captured(static_cast<int>(one.numbers.indexOf(one.numbers[i])) + 1))
                return false;
        return true;
    }

    QString filled(const Template& one, const QRegularExpressionMatch& match, int depth) const {
        return fill(QCoreApplication::translate(one.context, one.english), [&](int number) {
            return phrase(match.captured(static_cast<int>(one.numbers.indexOf(number)) + 1), depth);
        });
    }

    /// Translates a phrase of the core ("a number or null", "must be odd"); a value is returned unchanged.
    QString phrase(const QString& text, int depth) const {
        if (depth >= 3 || !text.contains(QLatin1Char(' ')))
            return text;
        if (QString whole = sentence(text, depth + 1); !whole.isEmpty())
            return whole;
        QStringList parts = text.split(QStringLiteral(" or "));
        if (parts.size() != 2)
            return text;
        QStringList all = parts[0].split(QStringLiteral(", "));
        all << parts[1];
        for (QString& one : all) {
            if (!one.contains(QLatin1Char(' ')))
                continue;
            one = translated(one, depth + 1);
            if (one.isEmpty())
                return text;
        }
        const QString last = all.takeLast();
        const QString first = all.join(QCoreApplication::translate("CoreText", ", "));
        return fill(QCoreApplication::translate("CoreText", "%1 or %2"),
                    [&](int number) { return number == 1 ? first : last; });
    }

    QHash<QString, std::pair<const char*, const char*>> m_exact; ///< context, text
    std::vector<Template> m_patterns;
};

} // namespace

QString coreText(const std::string& english) {
    QString text = QString::fromStdString(english);
    if (text.isEmpty() || QLocale().language() == QLocale::English)
        return text;
    static const Templates templates;
    // a tree with many problems asks for the same sentences after each edit
    static QHash<QString, QString> known;
    static QLocale::Language language = QLocale().language();
    static constexpr qsizetype kMostKnown = 5000;
    if (language != QLocale().language() || known.size() > kMostKnown) {
        known.clear();
        language = QLocale().language();
    }
    if (const auto have = known.constFind(text); have != known.constEnd())
        return have.value();
    const QString translated = templates.sentence(text, 0);
    known.insert(text, translated.isEmpty() ? text : translated);
    return translated.isEmpty() ? text : translated;
}

QString coreText(const Message& message) {
    return message.pattern().empty() ? coreText(message.english())
                                     : QString::fromStdString(message.text(currentLanguage()));
}

QString coreText(const Error& error) {
    const QString what = coreText(error.what);
    return error.where.empty() ? what : placedText(QString::fromStdString(error.where), what);
}

QString placedText(const QString& where, const QString& what) {
    return where + QCoreApplication::translate("CoreText", ": ") + what;
}

} // namespace rankscope::ui
