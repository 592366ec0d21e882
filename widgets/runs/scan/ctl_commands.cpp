// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/runs/scan/ctl_commands.h"

#include "core/base/files/paths.h"

#include <QFileInfo>
#include <QProcess>
#include <QTimer>

namespace rankscope::ui {

/// Returns a command line program's error: its lines on stderr, without the program's name in front.
static QString errorText(const QByteArray& standardError, int exitCode) {
    QString text = QString::fromUtf8(standardError).trimmed();
    static const QString prefix = QStringLiteral("rankscopectl: ");
    if (text.startsWith(prefix))
        text.remove(0, prefix.size());
    if (text.startsWith(QLatin1String("error: ")))
        text.remove(0, 7);
    return text.isEmpty() ? RunCommands::tr("rankscopectl exited with code %1 and gave no reason").arg(exitCode) : text;
}

void RunCommands::run(const QStringList& arguments, const QString& workingDir,
                      const std::function<void(const CommandReply&)>& done) {
    const auto program = findProgram("rankscopectl");
    if (!program) {
        CommandReply reply;
        reply.error = QString::fromStdString(program.error().message());
        QTimer::singleShot(0, this, [done, reply] { done(reply); });
        return;
    }
    auto* process = new QProcess(this);
    process->setProgram(QString::fromStdString(program->string()));
    process->setArguments(arguments);
    process->setStandardInputFile(QProcess::nullDevice());
    if (!workingDir.isEmpty())
        process->setWorkingDirectory(workingDir);
    connect(process, &QProcess::finished, this, [process, done](int code, QProcess::ExitStatus status) {
        CommandReply reply;
        reply.started = true;
        reply.exitCode = status == QProcess::NormalExit ? code : -1;
        reply.output = process->readAllStandardOutput();
        if (status == QProcess::CrashExit)
            reply.error = tr("rankscopectl was killed or crashed");
        else if (code != 0)
            reply.error = errorText(process->readAllStandardError(), code);
        process->deleteLater();
        done(reply);
    });
    connect(process, &QProcess::errorOccurred, this, [process, done](QProcess::ProcessError error) {
        if (error != QProcess::FailedToStart)
            return; // the others end in finished()
        CommandReply reply;
        reply.error = tr("%1 did not start: %2").arg(process->program(), process->errorString());
        process->deleteLater();
        done(reply);
    });
    process->start();
}

QString RunCommands::stoppingText(const QString& runDir, bool now) {
    const QString id = QFileInfo(runDir).fileName();
    return now ? tr("Ending %1 at once").arg(id) : tr("Stopping %1 after the step in progress").arg(id);
}

void RunCommands::stop(const QString& runDir, bool now) {
    QStringList arguments{QStringLiteral("stop"), runDir, QStringLiteral("--no-wait")};
    if (now)
        arguments << QStringLiteral("--now");
    const QString id = QFileInfo(runDir).fileName();
    emit message(stoppingText(runDir, now));
    run(arguments, {}, [this, id, runDir](const CommandReply& reply) {
        if (!reply.error.isEmpty())
            emit stopRefused(runDir, tr("%1 was not stopped: %2").arg(id, reply.error));
    });
}

} // namespace rankscope::ui
