// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/config/plan/plan_process.h"

#include "core/base/files/paths.h"
#include "widgets/models/text/json_message.h"

#include <QDir>
#include <QJsonDocument>
#include <QProcess>
#include <QTemporaryFile>

namespace rankscope::ui {

static constexpr qsizetype kLargestPlan = 64 << 20; ///< more than any plan of 4096 ranks

static QStringList argumentsOf(const DryRunRequest& request, const QString& copy) {
    QStringList arguments{QStringLiteral("plan"), copy};
    arguments << request.overrides;
    if (request.ranks > 0)
        arguments << QStringLiteral("--ranks") << QString::number(request.ranks);
    if (!request.machine.isEmpty())
        arguments << QStringLiteral("--machine") << request.machine;
    if (!request.runsDir.isEmpty())
        arguments << QStringLiteral("--runs") << request.runsDir;
    return arguments << QStringLiteral("--json");
}

PlanProcess::PlanProcess(Stop stop, QObject* parent) : QObject(parent), m_stop(stop) {}

PlanProcess::~PlanProcess() {
    stop();
}

void PlanProcess::start(const DryRunRequest& request, const QStringList& more) {
    stop();
    const auto program = findProgram("rankscopectl");
    if (!program)
        return fail(program.error().asMessage());
    // mode 0600; it need not survive a crash of the machine
    m_copy = std::make_unique<QTemporaryFile>(QDir::tempPath() + QStringLiteral("/rankscope-plan-XXXXXX.yaml"));
    const auto size = static_cast<qint64>(request.text.size());
    if (!m_copy->open() || m_copy->write(request.text.data(), size) != size || !m_copy->flush())
        return fail(
            {"{}: cannot be written: {}", m_copy->fileName().toStdString(), m_copy->errorString().toStdString()});
    m_recipe = request.name;
    m_process = new QProcess(this);
    m_process->setProgram(QString::fromStdString(program->string()));
    m_process->setArguments(argumentsOf(request, m_copy->fileName()) + more);
    m_process->setWorkingDirectory(request.folder);
    m_process->setStandardInputFile(QProcess::nullDevice());
    connect(m_process, &QProcess::readyReadStandardError, this, &PlanProcess::readErrors);
    connect(m_process, &QProcess::finished, this,
            [this](int code, QProcess::ExitStatus status) { finish(code, status == QProcess::CrashExit); });
    connect(m_process, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error != QProcess::FailedToStart)
            return; // finish() handles every other way to end
        Message why("{} did not start: {}", m_process->program().toStdString(), m_process->errorString().toStdString());
        release();
        fail(std::move(why));
    });
    m_process->start();
}

/// Stops the process without waiting here; it is reaped later.
void PlanProcess::stop() {
    m_said.clear();
    m_error = {};
    m_pendingLine.clear();
    if (!m_process)
        return;
    m_process->disconnect(this);
    connect(m_process, &QProcess::finished, m_process, &QObject::deleteLater);
    if (m_stop == Stop::Kill)
        m_process->kill();
    else
        m_process->terminate();
    m_process->setParent(nullptr);
    m_process = nullptr;
}

QString PlanProcess::copyName() const {
    return m_copy ? m_copy->fileName() : QString();
}

void PlanProcess::readErrors() {
    m_pendingLine += m_process->readAllStandardError();
    for (qsizetype end = 0; (end = m_pendingLine.indexOf('\n')) >= 0;) {
        const QByteArray line = m_pendingLine.left(end);
        m_pendingLine.remove(0, end + 1);
        const QJsonObject event = QJsonDocument::fromJson(line).object();
        const QString kind = event.value(QStringLiteral("event")).toString();
        if (kind == QLatin1String("error"))
            m_error = event;
        else if (kind == QLatin1String("measuring"))
            emit measured(event.value(QStringLiteral("step")).toInt(), event.value(QStringLiteral("of")).toInt());
        else
            m_said += line + '\n';
    }
}

void PlanProcess::finish(int exitCode, bool crashed) {
    readErrors();
    const QByteArray output = m_process->readAllStandardOutput();
    QString said = QString::fromUtf8(m_said + m_pendingLine).trimmed(),
            where = m_error.value(QStringLiteral("where")).toString();
    // the copy's name means nothing to the user
    said.replace(m_copy->fileName(), m_recipe).remove(QStringLiteral("rankscopectl: "));
    where.replace(m_copy->fileName(), m_recipe);
    release();
    PlanEnd end;
    end.ok = !crashed && exitCode == 0;
    end.refused = !crashed && !end.ok && !said.isEmpty();
    if (end.ok && output.size() <= kLargestPlan)
        end.plan = QJsonDocument::fromJson(output).object();
    if (crashed)
        end.problem = "rankscopectl was killed or crashed";
    else if (!m_error.isEmpty())
        end = {end.ok, end.refused, end.plan, messageIn(m_error, "text"), where};
    else if (said.isEmpty())
        end.problem = {"rankscopectl exited with code {} and gave no reason", exitCode};
    else
        end.problem = said.toStdString();
    emit ended(end);
}

void PlanProcess::fail(Message problem) {
    PlanEnd end;
    end.problem = std::move(problem);
    emit ended(end);
}

void PlanProcess::release() {
    m_process->deleteLater();
    m_process = nullptr;
}

} // namespace rankscope::ui
