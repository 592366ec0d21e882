// SPDX-License-Identifier: GPL-3.0-or-later
// Where what comes with the program lies: installed, or in a checkout that it is run from.
#pragma once

#include <QString>
#include <QStringList>

namespace rankscope::ui {

/// The working folder, the program's prefix and those above it (build/PRESET of a checkout).
QStringList checkoutFolders();
QString installedFolder(); ///< PREFIX/share/rankscope
QString documentsFolder(); ///< PREFIX/share/doc/rankscope

/// The file of this name, relative to the first of `folders` that has it; empty: none has.
QString firstWith(const QStringList& folders, const QString& name);

} // namespace rankscope::ui
