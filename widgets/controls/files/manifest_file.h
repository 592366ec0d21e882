// SPDX-License-Identifier: GPL-3.0-or-later
// Opens files that a manifest names, such as the recording that a rank was reading.
#pragma once

#include <QString>

#include <functional>

class QObject;

namespace rankscope::ui {

/// Returns whether a file is audio. An untrusted run may name any file, so nothing that the desktop would execute is
/// opened.
bool isAudioFile(const QString& file);

/// Opens a file that a manifest names with the desktop's program for it, or the folder that it is in. A relative path
/// is looked for above `recipe`, as the folder that the run was launched from is not recorded. The disk is read in the
/// background. `failed` is called with the reason if the file cannot be opened, such as that it is in a tar file,
/// unless `receiver` is gone by then.
void openManifestFile(const QString& file, const QString& recipe, bool inFolder, QObject* receiver,
                      std::function<void(const QString& problem)> failed);

} // namespace rankscope::ui
