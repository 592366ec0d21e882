// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/config/launch/speed_measurement.h"

#include "core/base/files/paths.h"
#include "widgets/config/launch/plan_request.h"

#include <QDir>
#include <QJsonDocument>
#include <QProcess>
#include <QTemporaryFile>

#include <utility>

namespace rankscope::ui {

Measurement::Measurement(QObject* parent) : QObject(parent) {}

Measurement::~Measurement() {
    cancel();
}

bool Measurement::isRunning() const {
    return !m_process.isNull();
}

void Measurement::begin(const DryRunRequest& request) {
    cancel();
    const auto program = findProgram("rankscopectl");
    if (!program)
        return fail(QString::fromStdString(program.error().message()));
    m_copy = std::make_unique<QTemporaryFile>(QDir::tempPath() + QStringLiteral("/rankscope-plan-XXXXXX.yaml"));
    const auto size = static_cast<qint64>(request.text.size());
    if (!m_copy->open() || m_copy->write(request.text.data(), size) != size || !m_copy->flush())
        return fail(tr("%1: cannot be written: %2").arg(m_copy->fileName(), m_copy->errorString()));
    m_recipe = request.name;
    QStringList arguments{QStringLiteral("plan"), m_copy->fileName()};
    arguments << request.overrides;
    if (request.ranks > 0)
        arguments << QStringLiteral("--ranks") << QString::number(request.ranks);
    if (!request.runsDir.isEmpty())
        arguments << QStringLiteral("--runs") << request.runsDir;
    arguments << QStringLiteral("--calibrate") << QString::number(kSteps) << QStringLiteral("--json");
    m_process = new QProcess(this);
    m_process->setProgram(QString::fromStdString(program->string()));
    m_process->setArguments(arguments);
    m_process->setWorkingDirectory(request.folder);
    m_process->setStandardInputFile(QProcess::nullDevice());
    connect(m_process, &QProcess::readyReadStandardError, this, &Measurement::hear);
    connect(m_process, &QProcess::finished, this,
            [this](int code, QProcess::ExitStatus status) { finish(code, status == QProcess::CrashExit); });
    connect(m_process, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error != QProcess::FailedToStart)
            return; // the others end in finish()
        const QString why = tr("%1 did not start: %2").arg(m_process->program(), m_process->errorString());
        m_process->deleteLater();
        m_process = nullptr;
        fail(why);
    });
    m_process->start();
    emit progressed();
}

/// The process stops its ranks and removes its folder before it ends: it is asked to, and reaped without anybody
/// waiting for it.
void Measurement::cancel() {
    m_step = m_of = 0;
    m_problem.clear();
    m_heard.clear();
    m_line.clear();
    if (!m_process)
        return;
    m_process->disconnect(this);
    connect(m_process, &QProcess::finished, m_process, &QObject::deleteLater);
    m_process->terminate();
    m_process->setParent(nullptr);
    m_process = nullptr;
    emit progressed();
}

void Measurement::hear() {
    m_line += m_process->readAllStandardError();
    bool moved = false;
    for (qsizetype end = 0; (end = m_line.indexOf('\n')) >= 0; m_line.remove(0, end + 1)) {
        const QByteArray line = m_line.left(end);
        const QJsonObject told = QJsonDocument::fromJson(line).object();
        if (told.value(QStringLiteral("event")).toString() != QLatin1String("measuring")) {
            m_heard += line + '\n';
            continue;
        }
        m_step = told.value(QStringLiteral("step")).toInt();
        m_of = told.value(QStringLiteral("of")).toInt();
        moved = true;
    }
    if (moved)
        emit progressed();
}

void Measurement::finish(int exitCode, bool crashed) {
    hear();
    const QJsonObject plan = QJsonDocument::fromJson(m_process->readAllStandardOutput()).object();
    QString said = QString::fromUtf8(m_heard + m_line).trimmed();
    m_process->deleteLater();
    m_process = nullptr;
    const QJsonObject speed = plan.value(QStringLiteral("speed")).toObject();
    if (!crashed && exitCode == 0 && speed.value(QStringLiteral("measured_steps")).toInt() > 0) {
        emit ended(speed);
        return;
    }
    // the copy's name says nothing to the user
    said.replace(m_copy->fileName(), m_recipe).remove(QStringLiteral("rankscopectl: "));
    fail(crashed          ? tr("rankscopectl was killed or crashed")
         : said.isEmpty() ? tr("rankscopectl ended with exit code %1 and said nothing").arg(exitCode)
                          : said);
}

void Measurement::fail(const QString& problem) {
    m_problem = problem;
    emit ended({});
}

} // namespace rankscope::ui
