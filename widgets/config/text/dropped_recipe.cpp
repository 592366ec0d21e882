// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/config/text/dropped_recipe.h"

#include <QFileInfo>
#include <QMimeData>
#include <QUrl>

namespace rankscope::ui {

bool isRecipeFile(const QString& path) {
    const QFileInfo info(path);
    return info.isFile() && (info.suffix() == QLatin1String("yaml") || info.suffix() == QLatin1String("yml"));
}

QString draggedRecipe(const QMimeData* data) {
    const auto urls = data->urls();
    const QString path = urls.size() == 1 ? urls.front().toLocalFile() : QString();
    return isRecipeFile(path) ? path : QString();
}

} // namespace rankscope::ui
