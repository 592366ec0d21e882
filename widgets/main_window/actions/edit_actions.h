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

/// The Edit menu's actions on the widget with the focus: a line, a text, a list, or whatever has a key of its own for
/// it.
class FocusEdit final : public QObject {
    Q_OBJECT
public:
    explicit FocusEdit(QWidget* window);
    /// Connects the actions of the Edit menu. What the focused widget cannot undo or redo is left to the stack that
    /// `undoStack` returns.
    void connectActions(const Actions* actions, const QMenu* editMenu, std::function<QUndoStack*()> undoStack);
    void updateActions() const; ///< asks the focused widget what it can do

private:
    bool canUndo() const; ///< of the typing in a line
    bool canRedo() const;
    bool canCut() const;
    bool canCopy() const;
    bool canPaste() const;
    bool canSelectAll() const;
    void undo() const;
    void redo() const;
    void act(const char* slot, QKeySequence::StandardKey key);

    QWidget* m_window;
    QPointer<QWidget> m_target; ///< a menu that is open does not count
    const Actions* m_actions = nullptr;
    std::function<QUndoStack*()> m_undoStack;
};

} // namespace rankscope::ui
