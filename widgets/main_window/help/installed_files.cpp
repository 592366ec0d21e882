// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/main_window/help/installed_files.h"

#include "core/base/process/libtorch_location.h"

#include <QDir>
#include <QFileInfo>

namespace rankscope::ui {

static constexpr int kFoldersAbove = 3;

static QString prefix() {
    return QString::fromStdString(installPrefix().string());
}

QStringList checkoutFolders() {
    QStringList folders{QDir::currentPath(), prefix()};
    QDir up(prefix());
    for (int i = 0; i < kFoldersAbove && up.cdUp(); ++i)
        folders << up.absolutePath();
    return folders;
}

QString installedFolder() {
    return prefix() + QStringLiteral("/share/rankscope");
}

QString documentsFolder() {
    return prefix() + QStringLiteral("/share/doc/rankscope");
}

QString firstWith(const QStringList& folders, const QString& name) {
    for (const QString& folder : folders)
        if (const QFileInfo found(QDir(folder).filePath(name)); found.isFile())
            return found.canonicalFilePath();
    return {};
}

} // namespace rankscope::ui
