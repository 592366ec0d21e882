// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/config/dry_run.h"

#include "core/base/paths.h"

#include <QDir>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QProcess>
#include <QTemporaryFile>

namespace rankscope::ui {

static constexpr int kDelayMs = 300;                ///< while somebody types
static constexpr qsizetype kLargestPlan = 64 << 20; ///< more than any plan of 4096 ranks

DryRun::DryRun(QObject* parent) : QObject(parent) {
    m_delay.setSingleShot(true);
    m_delay.setInterval(kDelayMs);
    connect(&m_delay, &QTimer::timeout, this, &DryRun::start);
    connect(&m_watcher, &QFileSystemWatcher::fileChanged, this, [this] {
        if (m_state == State::None)
            return;
        end();
        setState(State::Working);
        m_delay.start();
    });
}

DryRun::~DryRun() {
    end();
}

void DryRun::setState(State state) {
    m_state = state;
    if (state != State::Ready)
        m_plan = {};
    if (state != State::Failed)
        m_problem.clear();
    emit changed();
}

void DryRun::end() {
    m_delay.stop();
    if (!m_process)
        return;
    m_process->disconnect(this);
    m_process->kill();
    // it is reaped without anybody waiting for it
    connect(m_process, &QProcess::finished, m_process, &QObject::deleteLater);
    m_process->setParent(nullptr);
    m_process = nullptr;
}

void DryRun::request(const DryRunRequest& request) {
    const bool done = m_state == State::Ready || m_state == State::Failed;
    if ((done || m_process || m_delay.isActive()) && request == m_request)
        return;
    end();
    m_request = request;
    setState(State::Working);
    m_delay.start();
}

void DryRun::outdate() {
    if (m_state == State::None || (m_state == State::Working && !m_process && !m_delay.isActive()))
        return;
    end();
    setState(State::Working);
}

void DryRun::clear() {
    if (m_state == State::None)
        return;
    end();
    setState(State::None);
}

void DryRun::start() {
    const auto program = findProgram("rankscopectl");
    if (!program) {
        m_problem = QString::fromStdString(program.error().message());
        return setState(State::Failed);
    }
    // mode 0600; it may be gone after a crash of the machine, nobody needs it then
    m_copy = std::make_unique<QTemporaryFile>(QDir::tempPath() + QStringLiteral("/rankscope-plan-XXXXXX.yaml"));
    const auto size = static_cast<qint64>(m_request.text.size());
    if (!m_copy->open() || m_copy->write(m_request.text.data(), size) != size || !m_copy->flush()) {
        m_problem = tr("%1: cannot be written: %2").arg(m_copy->fileName(), m_copy->errorString());
        return setState(State::Failed);
    }
    if (!m_watcher.files().isEmpty())
        m_watcher.removePaths(m_watcher.files());
    for (const QString& manifest : m_request.manifests)
        if (const QString path = QDir(m_request.folder).absoluteFilePath(manifest); QFileInfo::exists(path))
            m_watcher.addPath(path);

    QStringList arguments{QStringLiteral("plan"), m_copy->fileName()};
    arguments << m_request.overrides;
    if (m_request.ranks > 0)
        arguments << QStringLiteral("--ranks") << QString::number(m_request.ranks);
    arguments << QStringLiteral("--json");
    m_process = new QProcess(this);
    m_process->setProgram(QString::fromStdString(program->string()));
    m_process->setArguments(arguments);
    m_process->setWorkingDirectory(m_request.folder);
    m_process->setStandardInputFile(QProcess::nullDevice());
    connect(m_process, &QProcess::finished, this,
            [this](int code, QProcess::ExitStatus status) { finished(code, status == QProcess::CrashExit); });
    connect(m_process, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error != QProcess::FailedToStart)
            return; // the others end in finished()
        m_problem = tr("%1 did not start: %2").arg(m_process->program(), m_process->errorString());
        m_process->deleteLater();
        m_process = nullptr;
        setState(State::Failed);
    });
    m_process->start();
}

void DryRun::finished(int exitCode, bool crashed) {
    const QByteArray output = m_process->readAllStandardOutput();
    QString said = QString::fromUtf8(m_process->readAllStandardError()).trimmed();
    m_process->deleteLater();
    m_process = nullptr;
    if (crashed || exitCode != 0) {
        // the copy's name says nothing to the user
        said.replace(m_copy->fileName(), m_request.name).remove(QStringLiteral("rankscopectl: "));
        m_problem = crashed          ? tr("rankscopectl was killed or crashed")
                    : said.isEmpty() ? tr("rankscopectl ended with exit code %1 and said nothing").arg(exitCode)
                                     : said;
        return setState(State::Failed);
    }
    QJsonParseError error{};
    const QJsonObject plan =
        output.size() > kLargestPlan ? QJsonObject() : QJsonDocument::fromJson(output, &error).object();
    if (plan.isEmpty() || !plan.contains(QStringLiteral("collectives"))) {
        m_problem = tr("rankscopectl plan answered with something that is no plan");
        return setState(State::Failed);
    }
    m_plan = plan;
    setState(State::Ready);
}

int DryRun::ranks() const {
    return m_plan.value(QStringLiteral("ranks")).toInt();
}

CollectiveCost DryRun::cost(const QString& tagPrefix) const {
    CollectiveCost sum;
    for (const QJsonValue& value : m_plan.value(QStringLiteral("collectives")).toArray()) {
        const QJsonObject one = value.toObject();
        if (!one.value(QStringLiteral("tag")).toString().startsWith(tagPrefix))
            continue;
        sum.calls += one.value(QStringLiteral("calls")).toInteger();
        sum.bytes += one.value(QStringLiteral("bytes")).toInteger();
        sum.blocks = sum.blocks || one.value(QStringLiteral("blocks")).toBool();
        sum.certain = sum.certain && one.value(QStringLiteral("certain")).toBool(true);
    }
    return sum;
}

std::vector<config::Risk> DryRun::risks() const {
    std::vector<config::Risk> all;
    for (const QJsonValue& value : m_plan.value(QStringLiteral("risks")).toArray()) {
        const QJsonObject one = value.toObject();
        config::Risk risk;
        risk.rule = config::riskRule(one.value(QStringLiteral("id")).toString().toStdString());
        risk.key = one.value(QStringLiteral("key")).toString().toStdString();
        risk.reason = one.value(QStringLiteral("reason")).toString().toStdString();
        if (const QJsonObject set = one.value(QStringLiteral("set")).toObject(); !set.isEmpty())
            risk.set = config::RiskRemedy{set.value(QStringLiteral("key")).toString().toStdString(),
                                          set.value(QStringLiteral("value")).toString().toStdString()};
        if (risk.rule) // a rankscopectl of another version may know rules that this window does not
            all.push_back(std::move(risk));
    }
    return all;
}

} // namespace rankscope::ui
