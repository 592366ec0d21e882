// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>

#include <functional>

namespace rankscope::ui {

/// Opens a file that a manifest names with the desktop's program for it, or the folder that it is in. A relative path
/// is looked for above `recipe`, as the folder that the run was launched from is not recorded. The disk is read in the
/// background. `failed` is called with the reason if the file cannot be opened, unless `receiver` is gone by then.
void openManifestFile(const QString& file, const QString& recipe, bool inFolder, QObject* receiver,
                      std::function<void(const QString& problem)> failed);

} // namespace rankscope::ui
