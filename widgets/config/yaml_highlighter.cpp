// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/config/yaml_highlighter.h"

#include "widgets/theme/palette.h"
#include "widgets/theme/theme.h"

#include <QRegularExpression>

namespace rankscope::ui {

/// Where a comment begins; -1: nowhere. A '#' counts only at the start or after a blank, and outside of quotes.
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

void YamlHighlighter::highlightBlock(const QString& text) {
    static const QRegularExpression key(QStringLiteral(R"(^\s*(?:-\s+)*([^\s#:'"\[\]{},][^#:'"]*?)\s*:(?=\s|$))"));
    static const QRegularExpression constant(
        QStringLiteral(R"((?<=[\s\[,:-])(true|false|null|~|[-+]?\d[\d_]*(\.\d*)?([eE][-+]?\d+)?)(?=[\s,\]]|$))"));
    static const QRegularExpression reference(QStringLiteral(R"(\$\{[^}]*\}|\?\?\?)"));
    const Palette& p = Theme::instance().palette();
    const QColor number = p.dark ? QColor(0x7f, 0xd1, 0xae) : QColor(0x00, 0x6b, 0x4f);
    const QColor special = p.dark ? QColor(0xe8, 0xa8, 0x6b) : QColor(0xa8, 0x4a, 0x00);

    const int comment = commentStart(text);
    const QString code = comment < 0 ? text : text.left(comment);
    int valueFrom = 0;
    if (const auto match = key.match(code); match.hasMatch()) {
        setFormat(static_cast<int>(match.capturedStart(1)), static_cast<int>(match.capturedLength(1)),
                  blend(p.text, p.accent, 0.75));
        valueFrom = static_cast<int>(match.capturedEnd(0)) - 1;
    }
    for (auto it = constant.globalMatch(code, valueFrom); it.hasNext();) {
        const auto match = it.next();
        setFormat(static_cast<int>(match.capturedStart(1)), static_cast<int>(match.capturedLength(1)), number);
    }
    for (auto it = reference.globalMatch(code); it.hasNext();) {
        const auto match = it.next();
        setFormat(static_cast<int>(match.capturedStart()), static_cast<int>(match.capturedLength()), special);
    }
    if (comment >= 0)
        setFormat(comment, static_cast<int>(text.size()) - comment, p.secondary);
}

} // namespace rankscope::ui
