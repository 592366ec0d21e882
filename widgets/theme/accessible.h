// SPDX-License-Identifier: GPL-3.0-or-later
// Accessibility of widgets that paint themselves.
#pragma once

#include <QAccessible>

#include <functional>

class QWidget;

namespace rankscope::ui {

/// Sets a widget's role; Qt would guess it by class and treat a painted widget as an empty area. Call it in the
/// constructor, before a screen reader can query the widget.
void setAccessibleRole(QWidget* widget, QAccessible::Role role);
/// Does the same and sets `describe`, which is called only when a screen reader requests the description.
void setAccessibleRole(QWidget* widget, QAccessible::Role role, const std::function<QString()>& describe);
/// Makes screen readers say the text immediately, whatever has the focus (for example when an incident opens).
void announce(QWidget* from, const QString& text);

} // namespace rankscope::ui
