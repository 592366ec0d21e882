// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/main_window/actions/edit_actions.h"

#include "widgets/main_window/actions/actions.h"

#include <QAbstractItemView>
#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>
#include <QPlainTextEdit>
#include <QTextEdit>
#include <QUndoStack>

#include <utility>

namespace rankscope::ui {

namespace {

/// A text editor of either kind: its cursor, and whether it can be edited.
struct Editor {
    explicit Editor(const QWidget* widget) {
        if (const auto* plain = qobject_cast<const QPlainTextEdit*>(widget)) {
            found = true;
            selected = plain->textCursor().hasSelection();
            writable = !plain->isReadOnly();
        } else if (const auto* rich = qobject_cast<const QTextEdit*>(widget)) {
            found = true;
            selected = rich->textCursor().hasSelection();
            writable = !rich->isReadOnly();
        } else if (const auto* line = qobject_cast<const QLineEdit*>(widget)) {
            found = true;
            selected = line->hasSelectedText() && line->echoMode() == QLineEdit::Normal;
            writable = !line->isReadOnly();
        }
    }
    bool found = false, selected = false, writable = false;
};

QKeyEvent pressOf(QKeySequence::StandardKey key) {
    const QKeyCombination keys = QKeySequence(key)[0];
    return {QEvent::KeyPress, keys.key(), keys.keyboardModifiers()};
}

} // namespace

FocusEdit::FocusEdit(QWidget* window) : QObject(window), m_window(window) {
    connect(qApp, &QApplication::focusChanged, this, [this](QWidget*, QWidget* now) {
        if (now && now->window() == m_window && !qobject_cast<QMenuBar*>(now) && !qobject_cast<QMenu*>(now))
            m_target = now;
    });
}

bool FocusEdit::canUndo() const {
    const auto* line = qobject_cast<QLineEdit*>(m_target);
    return line && line->isUndoAvailable();
}

bool FocusEdit::canRedo() const {
    const auto* line = qobject_cast<QLineEdit*>(m_target);
    return line && line->isRedoAvailable();
}

bool FocusEdit::canCut() const {
    const Editor editor(m_target);
    return editor.selected && editor.writable;
}

bool FocusEdit::canCopy() const {
    if (!m_target)
        return false;
    const Editor editor(m_target);
    if (editor.found)
        return editor.selected;
    if (const auto* label = qobject_cast<QLabel*>(m_target))
        return label->hasSelectedText();
    return true;
}

bool FocusEdit::canPaste() const {
    return Editor(m_target).writable && !QApplication::clipboard()->text().isEmpty();
}

bool FocusEdit::canSelectAll() const {
    return Editor(m_target).found || qobject_cast<QAbstractItemView*>(m_target);
}

void FocusEdit::connectActions(const Actions* actions, const QMenu* editMenu, std::function<QUndoStack*()> undoStack) {
    m_actions = actions;
    m_undoStack = std::move(undoStack);
    m_actions->on(ActionId::Undo, this, [this] { undo(); });
    m_actions->on(ActionId::Redo, this, [this] { redo(); });
    const auto on = [this](ActionId wanted, bool (FocusEdit::*can)() const, const char* slot,
                           QKeySequence::StandardKey key) {
        m_actions->on(wanted, this, [this, can, slot, key] {
            if ((this->*can)())
                act(slot, key);
        });
    };
    on(ActionId::Cut, &FocusEdit::canCut, "cut", QKeySequence::Cut);
    on(ActionId::Copy, &FocusEdit::canCopy, "copy", QKeySequence::Copy);
    on(ActionId::Paste, &FocusEdit::canPaste, "paste", QKeySequence::Paste);
    on(ActionId::SelectAll, &FocusEdit::canSelectAll, "selectAll", QKeySequence::SelectAll);
    connect(editMenu, &QMenu::aboutToShow, this, &FocusEdit::updateActions);
}

void FocusEdit::updateActions() const {
    const auto& acts = *m_actions;
    acts[ActionId::Undo]->setEnabled(m_undoStack()->canUndo() || canUndo());
    acts[ActionId::Redo]->setEnabled(m_undoStack()->canRedo() || canRedo());
    acts[ActionId::Cut]->setEnabled(canCut());
    acts[ActionId::Copy]->setEnabled(canCopy());
    acts[ActionId::Paste]->setEnabled(canPaste());
    acts[ActionId::SelectAll]->setEnabled(canSelectAll());
}

/// Undoes the typing in the focused widget first, then the page's changes.
void FocusEdit::undo() const {
    if (canUndo())
        qobject_cast<QLineEdit*>(m_target)->undo();
    else
        m_undoStack()->undo();
}

void FocusEdit::redo() const {
    if (canRedo())
        qobject_cast<QLineEdit*>(m_target)->redo();
    else
        m_undoStack()->redo();
}

/// Tries the page's own action for this key first, then the widget's slot, then sends the key itself.
void FocusEdit::act(const char* slot, QKeySequence::StandardKey key) {
    if (!Editor(m_target).found)
        for (QWidget* at = m_target; at && at != m_window; at = at->parentWidget())
            for (QAction* action : at->actions())
                if (action->isEnabled() && action->shortcuts().contains(QKeySequence(key)))
                    return action->trigger();
    if (m_target->metaObject()->indexOfMethod(QByteArray(slot) + "()") >= 0) {
        QMetaObject::invokeMethod(m_target, slot);
        return;
    }
    QKeyEvent press = pressOf(key);
    QCoreApplication::sendEvent(m_target, &press);
}

} // namespace rankscope::ui
