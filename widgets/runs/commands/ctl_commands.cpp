// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/runs/commands/ctl_commands.h"

#include "core/base/files/paths.h"
#include "widgets/models/text/json_message.h"
#include "widgets/models/text/text_format.h"

#include <QFileInfo>
#include <QProcess>
#include <QTimer>

#include <utility>

namespace rankscope::ui {

/// Returns a command line program's error: its lines on stderr, without the program's name in front.
static Message errorOf(const QByteArray& standardError, int exitCode) {
    if (const QJsonObject event = errorEvent(standardError); !event.isEmpty())
        return Error{Errc::BadInput, messageIn(event, "text"), event[QLatin1String("where")].toString().toStdString()}
            .asMessage();
    QString text = QString::fromUtf8(standardError).trimmed();
    static const QString prefix = QStringLiteral("rankscopectl: ");
    if (text.startsWith(prefix))
        text.remove(0, prefix.size());
    if (text.startsWith(QLatin1String("error: ")))
        text.remove(0, 7);
    return text.isEmpty() ? Message("rankscopectl exited with code {} and gave no reason", exitCode)
                          : Message(text.toStdString());
}

static void setError(CommandReply& reply, Message message) {
    reply.error = messageText(message);
    reply.message = std::move(message);
}

void CtlCommands::run(const QStringList& arguments, const QString& workingDir,
                      const std::function<void(const CommandReply&)>& done) {
    const auto program = findProgram("rankscopectl");
    if (!program) {
        CommandReply reply;
        setError(reply, program.error().asMessage());
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
            setError(reply, "rankscopectl was killed or crashed");
        else if (code != 0)
            setError(reply, errorOf(process->readAllStandardError(), code));
        process->deleteLater();
        done(reply);
    });
    connect(process, &QProcess::errorOccurred, this, [process, done](QProcess::ProcessError error) {
        if (error != QProcess::FailedToStart)
            return; // the others end in finished()
        CommandReply reply;
        setError(reply,
                 {"{} did not start: {}", process->program().toStdString(), process->errorString().toStdString()});
        process->deleteLater();
        done(reply);
    });
    process->start();
}

QString CtlCommands::stoppingText(const QString& runDir, bool now) {
    const QString id = QFileInfo(runDir).fileName();
    return now ? tr("Ending %1 at once").arg(id) : tr("Stopping %1 after the step in progress").arg(id);
}

void CtlCommands::stop(const QString& runDir, bool now) {
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
