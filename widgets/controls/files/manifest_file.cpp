// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/controls/files/manifest_file.h"

#include <QCoreApplication>
#include <QDesktopServices>
#include <QDir>
#include <QFileInfo>
#include <QPointer>
#include <QStringList>
#include <QThreadPool>
#include <QUrl>

#include <utility>

namespace rankscope::ui {

namespace {
struct ManifestFile {
    Q_DECLARE_TR_FUNCTIONS(ManifestFile)
};
} // namespace

bool isAudioFile(const QString& file) {
    static const QStringList endings{QStringLiteral("wav"),  QStringLiteral("flac"), QStringLiteral("mp3"),
                                     QStringLiteral("ogg"),  QStringLiteral("opus"), QStringLiteral("m4a"),
                                     QStringLiteral("aiff"), QStringLiteral("sph")};
    return endings.contains(file.section(u'/', -1).section(u'.', -1).toLower());
}

/// Returns the absolute path of a manifest's file; empty if there is no such file.
static QString existingFile(const QString& file, const QString& recipe) {
    if (QFileInfo(file).isFile())
        return QFileInfo(file).absoluteFilePath();
    QDir folder = QFileInfo(recipe).absoluteDir();
    if (QFileInfo(file).isRelative() && !recipe.isEmpty())
        do
            if (QFileInfo(folder, file).isFile())
                return folder.absoluteFilePath(file);
        while (folder.cdUp());
    return {};
}

/// Returns why there is no such file. Of a recording in a tar file, a rank says "SHARD.tar: NAME".
static QString notFoundText(const QString& file) {
    return file.contains(QLatin1String(".tar: "))
               ? ManifestFile::tr("%1 is in a tar file and cannot be opened from here").arg(file)
               : ManifestFile::tr("%1 was not found: it was moved, or its path is relative to another folder")
                     .arg(file);
}

void openManifestFile(const QString& file, const QString& recipe, bool inFolder, QObject* receiver,
                      std::function<void(const QString& problem)> failed) {
    // a disk that does not respond must not block the window
    QThreadPool::globalInstance()->start([=, self = QPointer(receiver), failed = std::move(failed)] {
        const QString found = existingFile(file, recipe);
        QMetaObject::invokeMethod(qApp, [file, found, inFolder, self, failed] {
            if (!self)
                return;
            if (found.isEmpty())
                failed(notFoundText(file));
            else if (!QDesktopServices::openUrl(
                         QUrl::fromLocalFile(inFolder ? QFileInfo(found).absolutePath() : found)))
                failed(ManifestFile::tr("No program was found to open %1").arg(found));
        });
    });
}

} // namespace rankscope::ui
