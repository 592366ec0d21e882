// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/main_window/exchange/dropped_files.h"

#include "widgets/config/text/dropped_recipe.h"
#include "widgets/main_window/exchange/import_panel.h"

#include <QDir>
#include <QFileInfo>
#include <QMimeData>
#include <QUrl>

#include <algorithm>

namespace rankscope::ui {

/// Returns the run's folder for a path, which may also be one of the files that every run has; empty: no run.
static QString runFolder(const QString& path) {
    static const QStringList files{QStringLiteral("run.json"), QStringLiteral("run.sqlite")};
    const QFileInfo info(path);
    if (info.isDir())
        return std::any_of(files.begin(), files.end(),
                           [dir = QDir(path)](const QString& name) { return dir.exists(name); })
                   ? path
                   : QString();
    return files.contains(info.fileName()) ? info.absolutePath() : QString();
}

DroppedFiles DroppedFiles::of(const QStringList& paths) {
    const auto isOwn = [](const QString& path) { return isRecipeFile(path) || !runFolder(path).isEmpty(); };
    if (paths.isEmpty() || (paths.size() > 1 && std::any_of(paths.begin(), paths.end(), isOwn)))
        return {};
    if (paths.size() > 1)
        return {DropUse::Explain, paths};
    const QString& path = paths.front();
    if (const QString folder = runFolder(path); !folder.isEmpty())
        return {DropUse::OpenRun, {folder}};
    if (isRecipeFile(path))
        return {DropUse::OpenRecipe, paths};
    return {ImportPanel::isSource(path) ? DropUse::Import : DropUse::Explain, paths};
}

DroppedFiles DroppedFiles::of(const QMimeData* data) {
    QStringList paths;
    for (const QUrl& url : data->urls()) {
        if (!url.isLocalFile())
            return {};
        paths << url.toLocalFile();
    }
    return of(paths);
}

QString DroppedFiles::hint() const {
    const QString name = paths.isEmpty() ? QString() : QDir(paths.front()).dirName();
    switch (use) {
    case DropUse::OpenRecipe:
    case DropUse::OpenRun:
        return tr("Drop to open %1").arg(name);
    case DropUse::Import:
        return tr("Drop to import %1").arg(name);
    case DropUse::Explain:
        return paths.size() == 1 ? tr("Drop to explain %1").arg(name)
                                 : tr("Drop to explain these %1 files").arg(paths.size());
    case DropUse::Nothing:
        break;
    }
    return {};
}

} // namespace rankscope::ui
