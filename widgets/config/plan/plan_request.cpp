// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/config/plan/plan_request.h"

#include "core/launch/prepare/disk_space.h"
#include "core/plan/result/launch_commands.h"
#include "widgets/config/plan/speed_measurement.h"
#include "widgets/models/text/json_message.h"

#include <QDir>
#include <QFileInfo>
#include <QJsonArray>
#include <QRegularExpression>

#include <algorithm>

namespace rankscope::ui {

static constexpr int kDelayMs = 300;         ///< while the user is typing
static constexpr const char* kDisk = "disk"; ///< a member of the plan, and a kind of obstacle

PlanRequest::PlanRequest(QObject* parent)
    : QObject(parent), m_measurement(new Measurement(this)), m_process(PlanProcess::Stop::Kill, nullptr) {
    connect(&m_process, &PlanProcess::ended, this, &PlanRequest::finished);
    connect(m_measurement, &Measurement::ended, this, [this](const QJsonObject& speed) {
        if (!speed.isEmpty())
            m_plan.insert(QStringLiteral("speed"), speed);
        emit changed();
    });
    m_delay.setSingleShot(true);
    m_delay.setInterval(kDelayMs);
    connect(&m_delay, &QTimer::timeout, this, &PlanRequest::start);
    connect(&m_watcher, &QFileSystemWatcher::fileChanged, this, &PlanRequest::rerun);
    connect(&m_watcher, &QFileSystemWatcher::directoryChanged, this, [this] {
        for (const QString& manifest : m_awaited)
            if (QFileInfo::exists(manifest))
                return rerun();
    });
}

void PlanRequest::rerun() {
    if (m_state == PlanState::None)
        return;
    end();
    setState(PlanState::Working);
    m_delay.start();
}

/// Watches a file or, while it does not exist, the nearest existing folder above it.
void PlanRequest::watch(const QString& file) {
    if (QFileInfo::exists(file)) {
        m_watcher.addPath(file);
        return;
    }
    m_awaited << file;
    QDir folder = QFileInfo(file).absoluteDir();
    while (!folder.exists() && !folder.isRoot())
        folder.setPath(QFileInfo(folder.path()).absolutePath());
    m_watcher.addPath(folder.path());
}

void PlanRequest::setState(PlanState state) {
    m_state = state;
    if (state != PlanState::Ready) {
        m_plan = {};
        m_measurement->cancel();
    }
    if (state != PlanState::Failed) {
        m_failure = {};
    }
    emit changed();
}

void PlanRequest::end() {
    m_delay.stop();
    m_process.stop();
}

void PlanRequest::request(const DryRunRequest& request) {
    const bool done = m_state == PlanState::Ready || m_state == PlanState::Failed;
    if ((done || m_process.isRunning() || m_delay.isActive()) && request == m_request)
        return;
    end();
    m_request = request;
    setState(PlanState::Working);
    m_delay.start();
}

void PlanRequest::invalidate() {
    const bool waits = m_state == PlanState::Working && !m_process.isRunning() && !m_delay.isActive();
    if (m_state == PlanState::None || waits)
        return;
    end();
    setState(PlanState::Working);
}

void PlanRequest::clear() {
    if (m_state == PlanState::None)
        return;
    end();
    setState(PlanState::None);
}

void PlanRequest::start() {
    watchManifests();
    m_process.start(m_request);
}

void PlanRequest::watchManifests() {
    m_awaited.clear();
    if (const QStringList watched = m_watcher.files() + m_watcher.directories(); !watched.isEmpty())
        m_watcher.removePaths(watched);
    for (const QString& manifest : m_request.manifests)
        watch(QDir(m_request.folder).absoluteFilePath(manifest));
}

void PlanRequest::fail(const PlanEnd& end) {
    m_failure = end;
    setState(PlanState::Failed);
}

void PlanRequest::finished(const PlanEnd& end) {
    if (!end.ok)
        return fail(end);
    if (!end.plan.contains(QStringLiteral("collectives"))) {
        PlanEnd other;
        other.problem = "rankscopectl plan returned something that is not a plan";
        return fail(other);
    }
    m_plan = end.plan;
    setState(PlanState::Ready);
}

static QString textIn(const QJsonObject& json, const char* name) {
    return json.value(QLatin1String(name)).toString();
}

static QList<QJsonObject> listIn(const QJsonObject& json, const char* name) {
    QList<QJsonObject> objects;
    for (const auto& value : json.value(QLatin1String(name)).toArray())
        objects << value.toObject();
    return objects;
}

/// Finds the key in the place of an error: "recipe.yaml:3:5: trainer.devices", "model.train_ds.manifest_filepath:
/// a.json".
static LaunchBlocker refusalOf(const PlanEnd& end) {
    static const QRegularExpression placed(
        QStringLiteral("^(?:.*:\\d+:\\d+: )?((?:model|trainer|exp_manager|rankscope)(?:\\.\\w+)+)(?:: (.+))?$"),
        QRegularExpression::DotMatchesEverythingOption);
    const auto found = placed.match(end.where);
    const QString where = found.hasMatch() ? found.captured(2) : end.where;
    return {true, QStringLiteral("recipe"), found.captured(1),
            Error{Errc::BadInput, end.problem, where.toStdString()}.asMessage()};
}

Message PlanRequest::problem() const {
    return Error{Errc::BadInput, m_failure.problem, m_failure.where.toStdString()}.asMessage();
}

QList<LaunchBlocker> PlanRequest::obstacles() const {
    if (m_state == PlanState::Failed && m_failure.refused)
        return {refusalOf(m_failure)};
    QList<LaunchBlocker> all;
    for (const QJsonObject& one : listIn(m_plan, "obstacles"))
        all << LaunchBlocker{one.value(QStringLiteral("refused")).toBool(), textIn(one, "kind"), textIn(one, "key"),
                             messageIn(one, "text")};
    const bool told =
        std::any_of(all.begin(), all.end(), [](const LaunchBlocker& one) { return one.kind == QLatin1String(kDisk); });
    if (const auto now = disk(); now && !told)
        if (const auto full = launch::diskBlocker(*now))
            all << LaunchBlocker{full->refused, QString::fromStdString(full->kind), {}, full->text};
    return all;
}

std::optional<plan::DiskPlan> PlanRequest::disk() const {
    const QJsonObject disk = m_plan.value(QLatin1String(kDisk)).toObject();
    if (disk.isEmpty())
        return std::nullopt;
    return plan::DiskPlan{textIn(disk, "folder").toStdString(), disk.value(QStringLiteral("needed")).toInteger(),
                          disk.value(QStringLiteral("available")).toInteger(-1)};
}

void PlanRequest::setFreeDisk(std::int64_t bytes) {
    QJsonObject disk = m_plan.value(QLatin1String(kDisk)).toObject();
    if (disk.isEmpty())
        return;
    disk.insert(QStringLiteral("available"), static_cast<qint64>(bytes));
    m_plan.insert(QLatin1String(kDisk), disk);
    emit changed();
}

bool PlanRequest::isRefused() const {
    const auto all = obstacles();
    return std::any_of(all.begin(), all.end(), [](const LaunchBlocker& one) { return one.refused; });
}

std::vector<config::Problem> PlanRequest::refusals() const {
    std::vector<config::Problem> all;
    for (const LaunchBlocker& one : obstacles())
        if (one.refused && !one.key.isEmpty())
            all.push_back({config::Problem::Severity::Error, one.key.toStdString(), {}, one.text});
    return all;
}

bool PlanRequest::canMeasure() const {
    return m_state == PlanState::Ready && machine().isEmpty() && !isRefused() &&
           textIn(m_plan.value(QStringLiteral("train")).toObject(), "problem").isEmpty();
}

void PlanRequest::measure() {
    if (!canMeasure())
        return;
    m_measurement->begin(m_request);
    emit changed();
}

QString PlanRequest::machine() const {
    return textIn(m_plan, "machine");
}

QList<std::pair<QString, QString>> PlanRequest::startLines() const {
    QList<std::pair<QString, QString>> lines;
    const std::string name = m_request.path.isEmpty() ? m_request.name.toStdString() : m_request.path.toStdString();
    for (const QJsonObject& one : listIn(m_plan, "start")) {
        QString command = textIn(one, "command");
        command.replace(m_process.copyName(),
                        QString::fromStdString(plan::shellWord(name))); // not the private copy
        lines << std::pair(textIn(one, "program"), command);
    }
    return lines;
}

int PlanRequest::worldSize() const {
    return ranks() * std::max(1, m_plan.value(QStringLiteral("nodes")).toInt(1));
}

int PlanRequest::ranks() const {
    return m_plan.value(QStringLiteral("ranks")).toInt();
}

CollectiveCost PlanRequest::cost(const QString& tagPrefix) const {
    CollectiveCost sum;
    for (const QJsonObject& one : listIn(m_plan, "collectives")) {
        if (!textIn(one, "tag").startsWith(tagPrefix))
            continue;
        sum.calls += one.value(QStringLiteral("calls")).toInteger();
        sum.bytes += one.value(QStringLiteral("bytes")).toInteger();
        sum.blocks = sum.blocks || one.value(QStringLiteral("blocks")).toBool();
        sum.certain = sum.certain && one.value(QStringLiteral("certain")).toBool(true);
    }
    return sum;
}

static config::RiskRemedy remedyIn(const QJsonObject& json) {
    return {textIn(json, "key").toStdString(), textIn(json, "value").toStdString()};
}

std::vector<config::Risk> PlanRequest::risks() const {
    std::vector<config::Risk> all;
    for (const QJsonObject& one : listIn(m_plan, "risks")) {
        config::Risk risk;
        risk.rule = config::riskRule(textIn(one, "id").toStdString());
        risk.key = textIn(one, "key").toStdString();
        risk.reason = messageIn(one, "reason");
        if (const QJsonObject set = one.value(QStringLiteral("set")).toObject(); !set.isEmpty())
            risk.set = remedyIn(set);
        for (const QJsonObject& also : listIn(one, "also"))
            risk.also.push_back(remedyIn(also));
        if (risk.rule) // a rankscopectl of another version may know other rules
            all.push_back(std::move(risk));
    }
    return all;
}

} // namespace rankscope::ui
