// SPDX-License-Identifier: GPL-3.0-or-later
// Where what comes with the program lies: installed, or in a checkout that it is run from.
#pragma once

#include "core/base/values/error.h"

#include <QString>
#include <QStringList>

namespace rankscope::ui {

/// The working folder, the program's prefix and those above it (build/PRESET of a checkout).
QStringList checkoutFolders();
QString installedFolder(); ///< PREFIX/share/rankscope
QString documentsFolder(); ///< PREFIX/share/doc/rankscope

/// The file of this name, relative to the first of `folders` that has it; empty: none has.
QString firstWith(const QStringList& folders, const QString& name);

/// The tour's recorded run beside the program, above it, or in the working folder; empty: there is none. It is never
/// written into.
QString findTour();

/// Copies that run to a folder in `into`, whole and private, that may be looked at and annotated as any other.
Result<QString> copyTour(const QString& from, const QString& into);

} // namespace rankscope::ui
