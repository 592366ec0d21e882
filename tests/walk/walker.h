// SPDX-License-Identifier: GPL-3.0-or-later
// Acts as a user of the window, by events of the X server, on what can be seen of it. It runs in a separate thread, so
// that menus and dialogs with their own event loops work as in the program; widgets are read in the window's thread.
#pragma once

#include "x_input.h"

#include <QAbstractItemView>
#include <QCoreApplication>
#include <QMainWindow>
#include <QString>
#include <QWidget>

#include <functional>
#include <optional>
#include <type_traits>

namespace rankscope::test {

/// Calls `f` in the window's thread and waits for it.
template <class F> auto inWindow(F&& f) {
    using R = std::invoke_result_t<F>;
    if constexpr (std::is_void_v<R>) {
        QMetaObject::invokeMethod(
            qApp, [&] { f(); }, Qt::BlockingQueuedConnection);
    } else {
        std::optional<R> result;
        QMetaObject::invokeMethod(
            qApp, [&] { result.emplace(f()); }, Qt::BlockingQueuedConnection);
        return std::move(*result);
    }
}

class Walker {
public:
    /// Finds a widget in the window's thread; null: it is not there (yet).
    using Find = std::function<QWidget*()>;

    explicit Walker(QMainWindow* window) : m_window(window) {}
    XInput& hand() { return m_hand; }

    /// All of these wait for what they act on. They return what was not found; empty: the action was done.
    QString click(const Find& find, std::optional<QPoint> at = std::nullopt);
    QString doubleClick(const Find& find);
    /// Clicks a visible, enabled button with this text or accessible name, in any window of the program.
    QString clickButton(const QString& text);
    /// Chooses the action through the menu bar and its submenus.
    QString choose(QAction* action);
    /// Clicks the row of a view whose text in column `column` contains `text`.
    QString clickRow(const std::function<QAbstractItemView*()>& view, const QString& text, int column = 0);
    QString press(const char* keys);
    QString type(const QString& text);

    /// Evaluates the condition in the window's thread until it is true. Returns false if it did not become true.
    static bool until(const std::function<bool()>& condition, int milliseconds);

private:
    struct Spot {
        QPoint at;
        QString problem;
    };
    static Spot spotOf(QWidget* widget, std::optional<QPoint> at);
    Spot awaitSpot(const Find& find, std::optional<QPoint> at);

    QMainWindow* m_window;
    XInput m_hand;
};

} // namespace rankscope::test
