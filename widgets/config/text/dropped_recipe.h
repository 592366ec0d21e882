// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

class QMimeData;

namespace rankscope::ui {

/// Returns whether this is a file that the Configure page opens: YAML by its name.
bool isRecipeFile(const QString& path);
/// Returns the path if one such file is dragged; empty: anything else.
QString draggedRecipe(const QMimeData* data);

} // namespace rankscope::ui
