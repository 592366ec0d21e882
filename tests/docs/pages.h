// SPDX-License-Identifier: Apache-2.0
// The Markdown pages of the project, as the tests of the documentation read them.
#pragma once

#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QRegularExpression>
#include <QSet>
#include <QString>
#include <QStringList>

namespace rankscope::docs {

inline QString textOf(const QString& file) {
    QFile in(file);
    return in.open(QIODevice::ReadOnly) ? QString::fromUtf8(in.readAll()) : QString();
}

inline QString page(const QString& name) {
    return textOf(QStringLiteral(RANKSCOPE_SOURCE_DIR "/docs/") + name);
}

/// Returns the paths of README in both languages and of all pages in docs/ and the other source folders.
inline QStringList allPages() {
    const QString root = QStringLiteral(RANKSCOPE_SOURCE_DIR);
    QStringList pages{root + QStringLiteral("/README.md"), root + QStringLiteral("/README.zh-CN.md")};
    for (const char* folder : {"docs", "resources", "tests", "packaging", "configs"}) {
        QDirIterator it(root + QLatin1Char('/') + QLatin1String(folder), {QStringLiteral("*.md")}, QDir::Files,
                        QDirIterator::Subdirectories);
        while (it.hasNext())
            pages << it.next();
    }
    return pages;
}

/// Returns the text without code blocks, in which brackets are not links.
inline QString withoutBlocks(const QString& text) {
    QStringList kept;
    bool inside = false;
    for (const QString& line : text.split(QLatin1Char('\n'))) {
        const bool fence = line.trimmed().startsWith(QLatin1String("```"));
        inside = inside != fence;
        kept << (inside || fence ? QString() : line);
    }
    return kept.join(QLatin1Char('\n'));
}

/// Returns the anchors made from the headings' words (lower case, hyphens for spaces, no punctuation), and explicit
/// ones, as in "## 标题 <a id="name"></a>".
inline QSet<QString> anchorsOf(const QString& text) {
    QSet<QString> anchors;
    static const QRegularExpression heading(QStringLiteral("^#+ +(.*)$"), QRegularExpression::MultilineOption);
    static const QRegularExpression written(QStringLiteral("<a id=\"([^\"]+)\"></a>"));
    for (auto it = written.globalMatch(withoutBlocks(text)); it.hasNext();)
        anchors << it.next().captured(1);
    for (auto it = heading.globalMatch(withoutBlocks(text)); it.hasNext();) {
        QString anchor;
        for (const QChar c : it.next().captured(1).remove(written).trimmed().toLower()) {
            if (c.isLetterOrNumber() || c == QLatin1Char('_') || c == QLatin1Char('-'))
                anchor += c;
            else if (c == QLatin1Char(' '))
                anchor += QLatin1Char('-');
        }
        const QString first = anchor;
        for (int n = 1; anchors.contains(anchor); ++n)
            anchor = first + QLatin1Char('-') + QString::number(n);
        anchors << anchor;
    }
    return anchors;
}

/// Returns the text under a heading, up to the next heading of the same or a higher level.
inline QString section(const QString& text, const QString& heading) {
    const QStringList lines = text.split(QLatin1Char('\n'));
    const qsizetype begin = lines.indexOf(heading);
    if (begin < 0)
        return {};
    const QString marks = heading.left(heading.indexOf(QLatin1Char(' ')));
    qsizetype end = begin + 1;
    for (bool block = false; end < lines.size(); ++end) {
        block = block != lines[end].startsWith(QLatin1String("```"));
        const qsizetype rank = lines[end].indexOf(QLatin1Char(' '));
        if (!block && rank > 0 && rank <= marks.size() && lines[end].left(rank) == QString(rank, QLatin1Char('#')))
            break;
    }
    return lines.mid(begin, end - begin).join(QLatin1Char('\n'));
}

/// Returns the code spans of a page.
inline QStringList spansOf(const QString& text) {
    QStringList spans;
    static const QRegularExpression span(QStringLiteral("`([^`\n]+)`"));
    for (auto it = span.globalMatch(withoutBlocks(text)); it.hasNext();)
        spans << it.next().captured(1);
    return spans;
}

} // namespace rankscope::docs
