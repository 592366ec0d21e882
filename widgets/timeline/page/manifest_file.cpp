// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/timeline/page/manifest_file.h"

#include <QApplication>
#include <QDesktopServices>
#include <QDir>
#include <QFileInfo>
#include <QPointer>
#include <QThreadPool>
#include <QUrl>

namespace rankscope::ui {

namespace {
struct ManifestFile {
    Q_DECLARE_TR_FUNCTIONS(ManifestFile)
};
} // namespace

/// Returns the absolute path of a manifest's file; empty if there is no such file.
static QString existingFile(const QString& file, const QString& recipe) {
    if (QFileInfo::exists(file))
        return QFileInfo(file).absoluteFilePath();
    QDir folder = QFileInfo(recipe).absoluteDir();
    if (QFileInfo(file).isRelative() && !recipe.isEmpty())
        do
            if (folder.exists(file))
                return folder.absoluteFilePath(file);
        while (folder.cdUp());
    return {};
}

void openManifestFile(const QString& file, const QString& recipe, bool inFolder, QObject* receiver,
                      std::function<void(const QString& problem)> failed) {
    // a disk that does not answer must not hold the window
    QThreadPool::globalInstance()->start([=, self = QPointer(receiver), failed = std::move(failed)] {
        const QString found = existingFile(file, recipe);
        QMetaObject::invokeMethod(qApp, [file, found, inFolder, self, failed] {
            if (!self)
                return;
            if (found.isEmpty())
                failed(ManifestFile::tr("%1 was not found: it was moved, or its path is relative to another folder")
                           .arg(file));
            else if (!QDesktopServices::openUrl(
                         QUrl::fromLocalFile(inFolder ? QFileInfo(found).absolutePath() : found)))
                failed(ManifestFile::tr("No program was found that opens %1").arg(found));
        });
    });
}

} // namespace rankscope::ui
