// SPDX-License-Identifier: GPL-3.0-or-later
// The Edit menu's actions on the widget with the focus: a line, a text, a list, or whatever has a key of its own for
// it.
#pragma once

#include <QKeySequence>
#include <QObject>
#include <QPointer>
#include <QWidget>

namespace rankscope::ui {

class FocusEdit final : public QObject {
    Q_OBJECT
public:
    explicit FocusEdit(QWidget* window);
    bool canUndo() const; ///< of the typing in a line
    bool canRedo() const;
    bool canCut() const;
    bool canCopy() const;
    bool canPaste() const;
    bool canSelectAll() const;
    /// False: the widget has no such thing.
    bool undo();
    bool redo();
    void cut();
    void copy();
    void paste();
    void selectAll();

private:
    void act(const char* slot, QKeySequence::StandardKey key);

    QWidget* m_window;
    QPointer<QWidget> m_target; ///< a menu that is open does not count
};

} // namespace rankscope::ui
