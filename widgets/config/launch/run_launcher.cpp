// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/config/launch/run_launcher.h"

#include "core/base/files/atomic_file.h"
#include "core/base/files/file.h"
#include "core/base/values/result.h"
#include "core/launch/prepare/disk_space.h"
#include "widgets/config/recipe/draft_store.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonDocument>
#include <QJsonObject>
#include <QRegularExpression>
#include <QUuid>

#include <filesystem>

namespace rankscope::ui {

namespace fs = std::filesystem;

QStringList splitOverrides(const QString& line) {
    QStringList parts;
    QString part;
    QChar quote;
    int depth = 0;
    for (const QChar c : line) {
        if (!quote.isNull()) {
            if (c == quote)
                quote = QChar();
        } else if (c == QLatin1Char('"') || c == QLatin1Char('\'')) {
            quote = c;
        } else if (c == QLatin1Char('[') || c == QLatin1Char('{')) {
            ++depth;
        } else if (c == QLatin1Char(']') || c == QLatin1Char('}')) {
            --depth;
        } else if (c.isSpace() && depth <= 0) {
            if (!part.isEmpty())
                parts << part;
            part.clear();
            continue;
        }
        part += c;
    }
    if (!part.isEmpty())
        parts << part;
    return parts;
}

QString joinOverrides(const QStringList& overrides) {
    QStringList words;
    for (const QString& one : overrides) {
        const qsizetype value = one.indexOf(QLatin1Char('=')) + 1;
        const QChar quote = one.contains(QLatin1Char('\'')) ? QLatin1Char('"') : QLatin1Char('\'');
        const bool whole =
            splitOverrides(one + QStringLiteral(" ~")).constFirst() == one || value == 0 || one.contains(quote);
        words << (whole ? one : one.left(value) + quote + one.mid(value) + quote);
    }
    return words.join(QLatin1Char(' '));
}

Result<QString> runDirFromReply(const QByteArray& output) {
    // other lines may precede the object
    const qsizetype begin = output.indexOf('{');
    QJsonParseError error;
    const QJsonObject reply = QJsonDocument::fromJson(begin < 0 ? QByteArray() : output.mid(begin), &error).object();
    for (const char* key : {"dir", "path", "folder"})
        if (const QString dir = reply.value(QLatin1String(key)).toString(); !dir.isEmpty())
            return dir;
    return fail(Errc::Malformed, "the run was started, but rankscopectl did not report its folder",
                "rankscopectl launch");
}

/// Writes the unsaved text to a file that exists until the launch is over.
static Result<QString> writeCopy(const LaunchRequest& request) {
    const fs::path dir = stateFolder(QStringLiteral("unsaved")).toStdString();
    RS_TRY(makePrivateDirs(dir));
    QString name = QFileInfo(request.title).completeBaseName();
    name.replace(QRegularExpression(QStringLiteral("[^A-Za-z0-9._-]+")), QStringLiteral("-"));
    // a separate folder for each copy, so that the file keeps the recipe's name
    const fs::path folder = dir / QUuid::createUuid().toString(QUuid::Id128).left(8).toStdString();
    RS_TRY(makePrivateDirs(folder));
    const fs::path file = folder / (name.toStdString() + ".yaml");
    RS_TRY(writeFileAtomic(file, request.text, 0600));
    return QString::fromStdString(file.string());
}

Launcher::Launcher(QObject* parent) : QObject(parent) {}

void Launcher::launch(const LaunchRequest& request) {
    if (m_busy)
        return;
    emit busyChanged(m_busy = true);
    if (!request.disk)
        return stopAndStart(request);
    const QDir folder(request.workingDir);
    const fs::path runs = folder.absoluteFilePath(QString::fromStdString(request.disk->folder)).toStdString();
    m_disk.ask([runs](const BackgroundTask::IsOld&) { return launch::freeSpaceFor(runs); },
               [this, request](std::int64_t available) {
                   plan::DiskPlan now = *request.disk;
                   now.available = available;
                   if (!launch::diskBlocker(now))
                       return stopAndStart(request);
                   emit busyChanged(m_busy = false);
                   emit diskFull(now);
               });
}

void Launcher::stopAndStart(const LaunchRequest& request) {
    if (!request.stopFirst || request.repeats.isEmpty())
        return start(request);
    m_commands.run({QStringLiteral("stop"), request.repeats}, {}, [this, request](const CommandReply& reply) {
        if (reply.error.isEmpty())
            return start(request);
        emit busyChanged(m_busy = false);
        emit failed({"{} was not stopped, so nothing was launched: {}",
                     QFileInfo(request.repeats).fileName().toStdString(), reply.message});
    });
}

void Launcher::start(const LaunchRequest& request) {
    QString copy;
    QString config = request.config;
    if (config.isEmpty()) {
        auto written = writeCopy(request);
        if (!written) {
            emit busyChanged(m_busy = false);
            emit failed(written.error().asMessage());
            return;
        }
        config = copy = *written;
    }
    QStringList arguments{QStringLiteral("launch"), config};
    arguments << request.overrides;
    if (request.ranks > 0)
        arguments << QStringLiteral("--ranks") << QString::number(request.ranks);
    if (!request.runsDir.isEmpty())
        arguments << QStringLiteral("--runs") << request.runsDir;
    if (!request.repeats.isEmpty())
        arguments << QStringLiteral("--relaunch") << request.repeats;
    if (!request.nemoPython.isEmpty())
        arguments << QStringLiteral("--trainer") << QStringLiteral("nemo") << QStringLiteral("--python")
                  << request.nemoPython;
    arguments << QStringLiteral("--detach") << QStringLiteral("--json");
    m_commands.run(arguments, request.workingDir, [this, copy](const CommandReply& reply) { finish(reply, copy); });
}

void Launcher::finish(const CommandReply& reply, const QString& copy) {
    if (!copy.isEmpty())
        QDir(QFileInfo(copy).absolutePath()).removeRecursively(); // the run has its own config.yaml, or was not created
    emit busyChanged(m_busy = false);
    if (!reply.error.isEmpty()) {
        emit failed(reply.message);
        return;
    }
    if (const auto dir = runDirFromReply(reply.output))
        emit launched(*dir);
    else
        emit failed(dir.error().asMessage());
}

} // namespace rankscope::ui
