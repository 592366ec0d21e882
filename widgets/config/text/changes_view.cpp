// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/config/text/changes_view.h"

#include "widgets/config/text/line_diff.h"
#include "widgets/theme/theme.h"

#include <QEvent>
#include <QMouseEvent>
#include <QTextBlock>

namespace rankscope::ui {

ChangesView::ChangesView(QWidget* parent) : QPlainTextEdit(parent) {
    setReadOnly(true);
    setUndoRedoEnabled(false);
    setLineWrapMode(NoWrap);
    setFrameShape(NoFrame);
    setFont(monoFont(9));
    document()->setDocumentMargin(6);
    connect(&Theme::instance(), &Theme::changed, this, &ChangesView::fill);
    fill();
}

void ChangesView::show(const std::string& before, const std::string& after) {
    if (before == m_before && after == m_after)
        return;
    m_before = before;
    m_after = after;
    fill();
}

void ChangesView::fill() {
    const Palette& p = Theme::instance().palette();
    setPlaceholderText(tr("No unsaved edits."));
    clear();
    m_lines.clear();
    const auto lines = hunks(lineDiff(m_before, m_after), 2);
    QTextCursor cursor(document());
    for (const DiffLine& line : lines) {
        QTextBlockFormat block;
        QTextCharFormat ink;
        QString text = QString::fromStdString(line.text);
        if (line.kind == DiffLine::Kind::Removed) {
            block.setBackground(blend(p.panel, p.dead, 0.14));
            text.prepend(QStringLiteral("- "));
        } else if (line.kind == DiffLine::Kind::Added) {
            block.setBackground(blend(p.panel, p.computing, 0.16));
            text.prepend(QStringLiteral("+ "));
        } else if (line.oldLine == 0) {
            ink.setForeground(p.secondary);
            text = QStringLiteral("  …");
        } else {
            ink.setForeground(p.secondary);
            text.prepend(QStringLiteral("  "));
        }
        if (!m_lines.isEmpty())
            cursor.insertBlock();
        cursor.setBlockFormat(block);
        cursor.insertText(text, ink);
        m_lines << line.newLine;
    }
    moveCursor(QTextCursor::Start);
}

void ChangesView::mouseDoubleClickEvent(QMouseEvent* event) {
    const int block = cursorForPosition(event->pos()).blockNumber();
    if (const int line = m_lines.value(block); line > 0)
        emit lineRequested(line);
}

void ChangesView::changeEvent(QEvent* event) {
    QPlainTextEdit::changeEvent(event);
    if (event->type() == QEvent::LanguageChange)
        fill();
}

} // namespace rankscope::ui
