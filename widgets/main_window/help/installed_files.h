// SPDX-License-Identifier: GPL-3.0-or-later
// Finds the files that come with the program: installed, or in the checkout that it is run from.
#pragma once

#include "core/base/values/error.h"

#include <QString>
#include <QStringList>

namespace rankscope::ui {

/// Returns the working folder, the program's prefix and the folders above it (build/PRESET of a checkout).
QStringList checkoutFolders();
QString installedFolder(); ///< PREFIX/share/rankscope
QString documentsFolder(); ///< PREFIX/share/doc/rankscope

/// Returns the path of the file of this name in the first of `folders` that has it; empty if none has.
QString firstWith(const QStringList& folders, const QString& name);

/// Returns the tour's recorded run next to the program, above it, or in the working folder; empty if there is none. It
/// is never changed.
QString findTour();

/// Copies the whole run `from` to a private folder in `into`; the copy can be viewed and annotated like any other run.
Result<QString> copyTour(const QString& from, const QString& into);

} // namespace rankscope::ui
