// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPoint>
#include <QString>
#include <QStringList>

#include <functional>

class QLineEdit;
class QWidget;

namespace rankscope::ui {

/// Opens a small box with a line edit at a place on the screen, and returns the line edit. Enter calls `done` with the
/// text and closes the box, Esc closes it. The box has the object name `name`; `completions` are offered while the user
/// types.
QLineEdit* openLineBox(QWidget* parent, const QString& name, const QPoint& at, const QStringList& completions,
                       const std::function<void(const QString& text)>& done);

} // namespace rankscope::ui
