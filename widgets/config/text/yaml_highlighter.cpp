// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/config/text/yaml_highlighter.h"

#include "widgets/theme/theme.h"

#include <QTextBlock>
#include <QTextDocument>
#include <QTextLayout>

#include <algorithm>
#include <array>
#include <utility>

namespace rankscope::ui {

/// Returns where a comment begins; -1: none. A '#' counts only at the start or after a blank, and outside quotes.
static int commentStart(const QString& text) {
    QChar quote;
    for (int i = 0; i < text.size(); ++i) {
        const QChar c = text[i];
        if (!quote.isNull()) {
            if (c == QLatin1Char('\\') && quote == QLatin1Char('"'))
                ++i;
            else if (c == quote)
                quote = QChar();
        } else if ((c == QLatin1Char('"') || c == QLatin1Char('\'')) &&
                   (i == 0 || QStringLiteral(" [{,:").contains(text[i - 1]))) {
            quote = c;
        } else if (c == QLatin1Char('#') && (i == 0 || text[i - 1].isSpace())) {
            return i;
        }
    }
    return -1;
}

/// Returns where the value after "key:" begins; `key`: where the key is. 0: the line has no key.
static int valueStart(const QStringView code, std::pair<int, int>& key) {
    qsizetype i = 0;
    const auto blank = [&](qsizetype at) { return at < code.size() && code[at].isSpace(); };
    while (blank(i))
        ++i;
    while (i < code.size() && code[i] == QLatin1Char('-') && blank(i + 1))
        for (++i; blank(i);)
            ++i;
    const qsizetype first = i;
    static const QString never = QStringLiteral("#'\"[]{},");
    for (; i < code.size() && !never.contains(code[i]); ++i) {
        if (code[i] != QLatin1Char(':') || (i + 1 < code.size() && !code[i + 1].isSpace()))
            continue;
        key = {static_cast<int>(first), static_cast<int>(i - first)};
        return i > first ? static_cast<int>(i) + 1 : 0;
    }
    return 0;
}

/// Returns whether the word is true, false, null, ~ or a number.
static bool isConstant(QStringView word) {
    if (word == QLatin1String("true") || word == QLatin1String("false") || word == QLatin1String("null") ||
        word == QLatin1String("~"))
        return true;
    bool digit = false, exponent = false;
    for (qsizetype i = 0; i < word.size(); ++i) {
        const char16_t c = word[i].unicode();
        const bool sign = c == u'-' || c == u'+';
        if (c >= u'0' && c <= u'9')
            digit = true;
        else if ((c == u'e' || c == u'E') && digit && !exponent)
            exponent = true;
        else if (!(sign && (i == 0 || word[i - 1].toLower() == QLatin1Char('e'))) && c != u'.' && !(c == u'_' && digit))
            return false;
    }
    return digit;
}

namespace {

enum Ink : char { Plain, Key, Number, Special, Comment, InkCount };

/// Formats by Ink; created once for many lines.
using Inks = std::array<QTextCharFormat, InkCount>;

Inks inks() {
    const Palette& p = Theme::instance().palette();
    Inks all;
    all[Key].setFontWeight(QFont::DemiBold); // without a colour: blue is for selection and focus
    all[Number].setForeground(p.dark ? QColor(0x7f, 0xd1, 0xae) : QColor(0x00, 0x6b, 0x4f));
    all[Special].setForeground(p.dark ? QColor(0xe8, 0xa8, 0x6b) : QColor(0xa8, 0x4a, 0x00));
    all[Comment].setForeground(p.secondary);
    return all;
}

/// Returns the ink of each character of a line. Fast, hundreds of lines a millisecond: a recipe may have ten thousand.
QByteArray inkOf(const QString& text) {
    QByteArray line(text.size(), Plain);
    const auto paint = [&](qsizetype from, qsizetype count, Ink ink) {
        std::fill_n(line.begin() + from, std::min(count, line.size() - from), static_cast<char>(ink));
    };
    const int comment = commentStart(text);
    const QStringView code = QStringView(text).left(comment < 0 ? text.size() : comment);
    std::pair<int, int> key{0, 0};
    int i = valueStart(code, key);
    paint(key.first, key.second, Key);
    static const QString apart = QStringLiteral(" \t,[]{}");
    while (i < code.size()) {
        if (apart.contains(code[i])) {
            ++i;
            continue;
        }
        int end = i;
        const QChar first = code[i];
        if (first == QLatin1Char('"') || first == QLatin1Char('\''))
            for (++end; end < code.size() && code[end] != first;)
                ++end;
        while (end < code.size() && !apart.contains(code[end]))
            ++end;
        if (isConstant(code.mid(i, end - i)))
            paint(i, end - i, Number);
        i = std::max(end, i + 1);
    }
    for (auto at = code.indexOf(QLatin1String("${")); at >= 0; at = code.indexOf(QLatin1String("${"), at + 2)) {
        const auto end = code.indexOf(QLatin1Char('}'), at);
        paint(at, (end < 0 ? code.size() : end + 1) - at, Special);
    }
    if (const auto missing = code.indexOf(QLatin1String("???")); missing >= 0)
        paint(missing, 3, Special);
    if (comment >= 0)
        paint(comment, text.size() - comment, Comment);
    return line;
}

QList<QTextLayout::FormatRange> formatsOf(const QString& text, const Inks& all) {
    const QByteArray line = inkOf(text);
    QList<QTextLayout::FormatRange> ranges;
    for (qsizetype i = 0, end = 0; i < line.size(); i = end) {
        for (end = i + 1; end < line.size() && line[end] == line[i];)
            ++end;
        if (line[i] == Plain)
            continue;
        QTextLayout::FormatRange range;
        range.start = static_cast<int>(i);
        range.length = static_cast<int>(end - i);
        range.format = all[static_cast<std::size_t>(line[i])];
        ranges << range;
    }
    return ranges;
}

} // namespace

void YamlHighlighter::highlightBlock(const QString& text) {
    if (m_deferred)
        return;
    for (const QTextLayout::FormatRange& range : formatsOf(text, inks()))
        setFormat(range.start, range.length, range.format);
}

void YamlHighlighter::highlight(int first, int count) {
    const Inks all = inks();
    const QTextBlock begin = document()->findBlockByNumber(first);
    QTextBlock block = begin, last;
    bool seen = false;
    for (; count > 0 && block.isValid(); --count, block = block.next()) {
        seen = seen || block.layout()->lineCount() > 0;
        block.layout()->setFormats(formatsOf(block.text(), all));
        last = block;
    }
    // lines that were never visible need no repaint
    if (last.isValid() && (seen || !block.isValid()))
        document()->markContentsDirty(begin.position(), last.position() + last.length() - begin.position());
}

} // namespace rankscope::ui
