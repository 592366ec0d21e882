// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QKeySequence>
#include <QObject>
#include <QPointer>
#include <QWidget>

#include <functional>

class QMenu;
class QUndoStack;

namespace rankscope::ui {

class Actions;

/// Applies the Edit menu's actions to the widget with the focus: a line edit, a text edit, a list, or any widget that
/// handles the action's key.
class FocusEdit final : public QObject {
    Q_OBJECT
public:
    explicit FocusEdit(QWidget* window);
    /// Connects the actions of the Edit menu. If the focused widget cannot undo or redo, the stack that `undoStack`
    /// returns does.
    void connectActions(const Actions* actions, const QMenu* editMenu, std::function<QUndoStack*()> undoStack);
    void updateActions() const; ///< enables what the focused widget can do

private:
    bool canUndo() const; ///< whether the typing in a line edit can be undone
    bool canRedo() const;
    bool canCut() const;
    bool canCopy() const;
    bool canPaste() const;
    bool canSelectAll() const;
    void undo() const;
    void redo() const;
    void act(const char* slot, QKeySequence::StandardKey key);

    QWidget* m_window;
    QPointer<QWidget> m_target; ///< the focused widget, ignoring an open menu
    const Actions* m_actions = nullptr;
    std::function<QUndoStack*()> m_undoStack;
};

} // namespace rankscope::ui
