// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/config/text/find_bar.h"

#include "widgets/config/text/yaml_editor.h"
#include "widgets/controls/box_layout.h"
#include "widgets/theme/language_change.h"
#include "widgets/theme/theme.h"

#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QToolButton>

namespace rankscope::ui {

FindBar::FindBar(YamlEditor* editor, QWidget* parent)
    : QFrame(parent), m_editor(editor), m_line(new QLineEdit(this)), m_count(new QLabel(this)),
      m_previous(new QToolButton(this)), m_next(new QToolButton(this)), m_close(new QToolButton(this)) {
    m_line->setFont(monoFont());
    m_line->setClearButtonEnabled(true);
    m_count->setFont(secondaryFont());
    m_count->setForegroundRole(QPalette::PlaceholderText);
    const auto icon = [](QToolButton* button, const char* name) {
        button->setIcon(Theme::instance().icon(QLatin1String(name)));
        button->setAutoRaise(true);
    };
    icon(m_previous, "up");
    icon(m_next, "down");
    icon(m_close, "close");
    setLayout(rowOf({{m_line, 1}, m_count, m_previous, m_next, m_close}, 4, {8, 4, 4, 4}));
    setFocusProxy(m_line);
    connect(m_line, &QLineEdit::textChanged, this, &FindBar::wordsChanged);
    connect(m_previous, &QToolButton::clicked, this, [this] { find(true); });
    connect(m_next, &QToolButton::clicked, this, [this] { find(false); });
    connect(m_close, &QToolButton::clicked, this, &FindBar::close);
    connect(m_editor, &YamlEditor::findAgainRequested, this, [this](bool backwards) {
        if (m_line->text().isEmpty())
            ask();
        else
            find(backwards);
    });
    connect(m_editor, &YamlEditor::findRequested, this, &FindBar::ask);
    connect(m_editor, &QPlainTextEdit::cursorPositionChanged, this, &FindBar::showCount);
    retranslate();
    onLanguageChange(this, [this] { retranslate(); });
    hide();
}

void FindBar::retranslate() {
    m_line->setPlaceholderText(tr("Find in the text"));
    m_line->setAccessibleName(tr("Find in the text"));
    m_previous->setToolTip(tr("Previous (Shift+Enter)"));
    m_next->setToolTip(tr("Next (Enter)"));
    m_close->setToolTip(tr("Close (Esc)"));
    showCount();
}

void FindBar::ask() {
    const QString selected = m_editor->textCursor().selectedText();
    show();
    if (!selected.isEmpty() && !selected.contains(QChar::ParagraphSeparator))
        m_line->setText(selected);
    m_line->selectAll();
    m_line->setFocus(Qt::ShortcutFocusReason);
    wordsChanged();
}

void FindBar::wordsChanged() {
    m_editor->setFound(isVisible() ? m_line->text() : QString());
    // from the caret, so that further typing stays at the same place
    if (QTextCursor here = m_editor->textCursor(); !m_line->text().isEmpty() && here.hasSelection()) {
        here.setPosition(here.selectionStart());
        m_editor->setTextCursor(here);
    }
    if (!m_line->text().isEmpty())
        find(false);
    showCount();
}

void FindBar::find(bool backwards) {
    const QString words = m_line->text();
    if (words.isEmpty())
        return;
    const auto flags = backwards ? QTextDocument::FindBackward : QTextDocument::FindFlags();
    QTextCursor found = m_editor->document()->find(words, m_editor->textCursor(), flags);
    if (found.isNull()) { // wrap around the end
        QTextCursor edge(m_editor->document());
        edge.movePosition(backwards ? QTextCursor::End : QTextCursor::Start);
        found = m_editor->document()->find(words, edge, flags);
    }
    if (!found.isNull())
        m_editor->setTextCursor(found);
    showCount();
}

void FindBar::showCount() {
    if (!isVisible())
        return;
    const auto& found = m_editor->found();
    const QTextCursor cursor = m_editor->textCursor();
    const auto here = found.indexOf(cursor.selectionStart());
    if (m_line->text().isEmpty())
        m_count->clear();
    else if (found.isEmpty())
        m_count->setText(tr("not found"));
    else if (here < 0)
        m_count->setText(QString::number(found.size()));
    else
        m_count->setText(tr("%1 of %2").arg(here + 1).arg(found.size()));
}

void FindBar::close() {
    hide();
    m_editor->setFound({});
    m_editor->setFocus();
}

void FindBar::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Escape)
        close();
    else if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter || event->key() == Qt::Key_F3)
        find(event->modifiers().testFlag(Qt::ShiftModifier));
    else
        QFrame::keyPressEvent(event);
}

} // namespace rankscope::ui
