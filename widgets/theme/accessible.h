// SPDX-License-Identifier: GPL-3.0-or-later
// What a screen reader is told of widgets that paint themselves.
#pragma once

#include <QAccessible>

#include <functional>

class QWidget;

namespace rankscope::ui {

/// Qt guesses a role by class and takes a painted widget for a bare area. Call it in the constructor, before a screen
/// reader can have asked.
void setAccessibleRole(QWidget* widget, QAccessible::Role role);
/// `describe` is asked when a reader wants to know: nothing is put together for nobody.
void setAccessibleRole(QWidget* widget, QAccessible::Role role, const std::function<QString()>& describe);
/// Says it at once, whatever has the focus (an incident opened).
void announce(QWidget* from, const QString& text);

} // namespace rankscope::ui
