// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/main_window/help/installed_files.h"

#include "core/base/files/atomic_file.h"
#include "core/base/files/file.h"
#include "core/base/process/libtorch_location.h"
#include "core/base/values/result.h"

#include <QDir>
#include <QDirIterator>
#include <QFileInfo>

#include <zlib.h>

#include <array>
#include <memory>
#include <string>

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

static constexpr std::size_t kMostBytes = 64u << 20; ///< of one file, unpacked

QString findTour() {
    const QString found =
        firstWith(QStringList{installedFolder()} + checkoutFolders(), QStringLiteral("resources/tour/run/run.json"));
    return found.isEmpty() ? QString() : QFileInfo(found).path();
}

/// Returns a file's content, unpacked if it is a gzip file: zlib reads both.
static Result<std::string> unpacked(const std::string& file) {
    const std::unique_ptr<gzFile_s, int (*)(gzFile)> in(::gzopen(file.c_str(), "rb"), ::gzclose);
    if (!in)
        return fail(Errc::NotFound, "cannot be opened", file);
    std::string bytes;
    std::array<char, 1 << 16> part;
    for (int n = 0; (n = ::gzread(in.get(), part.data(), part.size())) != 0;) {
        if (n < 0)
            return fail(Errc::Malformed, "is damaged: install the program again", file);
        bytes.append(part.data(), static_cast<std::size_t>(n));
        if (bytes.size() > kMostBytes)
            return fail(Errc::Malformed, {"is larger than {} bytes", kMostBytes}, file);
    }
    int code = Z_OK;
    if (::gzerror(in.get(), &code); code != Z_OK)
        return fail(Errc::Malformed, "is cut off: install the program again", file);
    return bytes;
}

Result<QString> copyTour(const QString& from, const QString& into) {
    // its id is the folder's name, as for any run
    RS_TRY_ASSIGN(const auto id, readFile((from + QStringLiteral("/id")).toStdString(), 200));
    const QString run = QDir(into).filePath(QString::fromStdString(id).trimmed());
    const QDir source(from);
    QDirIterator it(from, QDir::Files | QDir::NoSymLinks, QDirIterator::Subdirectories);
    while (it.hasNext()) {
        const QString file = it.next();
        QString name = source.relativeFilePath(file);
        if (name == QLatin1String("id"))
            continue;
        if (name.endsWith(QLatin1String(".gz")))
            name.chop(3);
        RS_TRY_ASSIGN(const auto bytes, unpacked(file.toStdString()));
        const QFileInfo target(QDir(run).filePath(name));
        RS_TRY(makePrivateDirs(target.path().toStdString()));
        RS_TRY(writeFileAtomic(target.filePath().toStdString(), bytes, 0600));
    }
    return run;
}

} // namespace rankscope::ui
