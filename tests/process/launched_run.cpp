// SPDX-License-Identifier: Apache-2.0
#include "tests/process/launched_run.h"

#include "core/base/process/process_identity.h"
#include "core/telemetry/board/board.h"

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QTest>

#include <cstring>

namespace rankscope::test {

Workplace::Workplace() : m_trainer(QStringLiteral(RANKSCOPE_BIN_DIR "/target_rank")) {
    file("a.wav", {}); // a launch checks that it exists; nothing reads it
    file("manifest.json", "{\"audio_filepath\": \"a.wav\", \"duration\": 1.0}\n");
    QFile recipe(QStringLiteral(RANKSCOPE_TEST_DIR "/recipe.yaml"));
    if (!recipe.open(QIODevice::ReadOnly))
        qFatal("cannot read %s", qPrintable(recipe.fileName()));
    file("config.yaml", recipe.readAll());
}

QString Workplace::file(const QString& name, const QByteArray& text) const {
    QFile f(m_dir.filePath(name));
    if (!f.open(QIODevice::WriteOnly) || f.write(text) != text.size())
        qFatal("cannot write %s", qPrintable(f.fileName()));
    return f.fileName();
}

QProcessEnvironment Workplace::environment() const {
    auto env = QProcessEnvironment::systemEnvironment();
    env.insert("RANKSCOPE_TRAINER", m_trainer);
    env.insert("RANKSCOPE_TARGET", m_target);
    return env;
}

Outcome Workplace::ctl(const QStringList& args, int timeoutMs) const {
    QProcess process;
    process.setProcessEnvironment(environment());
    process.setWorkingDirectory(m_dir.path());
    process.start(QStringLiteral(RANKSCOPE_BIN_DIR "/rankscopectl"), args);
    Outcome o;
    if (process.waitForFinished(timeoutMs) && process.exitStatus() == QProcess::NormalExit)
        o.exitCode = process.exitCode();
    o.out = QString::fromUtf8(process.readAllStandardOutput());
    o.err = QString::fromUtf8(process.readAllStandardError());
    return o;
}

QStringList Workplace::launchArgs(const QStringList& more) const {
    return QStringList{"launch", config(), "--runs", runsDir()} + more;
}

Outcome Workplace::launch(const QStringList& more, int timeoutMs) const {
    return ctl(launchArgs(more), timeoutMs);
}

std::unique_ptr<QProcess> Workplace::start(const QStringList& more, const std::function<void()>& inChild) const {
    auto process = std::make_unique<QProcess>();
    process->setChildProcessModifier(inChild);
    process->setProcessEnvironment(environment());
    process->setWorkingDirectory(m_dir.path());
    process->start(QStringLiteral(RANKSCOPE_BIN_DIR "/rankscopectl"), launchArgs(more));
    return process;
}

launch::RunPaths Workplace::run() const {
    const auto runs = launch::listRuns(runsDir().toStdString());
    return runs && runs->size() == 1 ? runs->front().paths : launch::RunPaths{};
}

launch::RunInfo Workplace::info() const {
    const auto info = launch::readRunInfo(run());
    return info ? *info : launch::RunInfo{};
}

bool Workplace::reachesStep(std::int64_t step) const {
    const auto paths = run();
    for (int r = 0; r < 2; ++r) {
        const auto board = telemetry::BoardReader::open(paths.board(r));
        if (!board || board->snapshot().step < step)
            return false;
    }
    return true;
}

bool Workplace::runsAt(std::int64_t step) const {
    return info().state == launch::RunState::Running && reachesStep(step);
}

std::vector<std::string> Workplace::leftovers() const {
    std::vector<std::string> names;
    for (const auto& name : QDir(runsDir()).entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot))
        names.push_back(name.toStdString());
    return names;
}

Workplace::Appended Workplace::appended(int rank) const {
    QFile f(QString::fromStdString((run().dir / "target").string()));
    if (!f.open(QIODevice::ReadOnly))
        return {-1, -1};
    // the layout of Shared in target_rank.cpp
    const QByteArray bytes = f.readAll();
    const auto at = [&](int field) {
        std::int64_t value = 0;
        std::memcpy(&value, bytes.constData() + (field * 64 + rank) * 8, sizeof value);
        return value;
    };
    return {at(1), at(2)};
}

std::int64_t Workplace::counter(const char* name, int rank) const {
    auto reader = store::RunReader::open(run().store());
    if (!reader)
        return -1;
    for (const auto& c : reader->counters().value_or(std::vector<store::Counter>{}))
        if (c.name == name && c.rank == rank)
            return c.value;
    return 0;
}

QJsonArray Workplace::incidents() const {
    const auto o = ctl({"diagnose", QString::fromStdString(run().dir.string()), "--json"});
    return QJsonDocument::fromJson(o.out.toUtf8()).object()["incidents"].toArray();
}

bool Workplace::anyRankLives(const launch::RunInfo& info) const {
    for (std::size_t r = 0; r < info.rankPids.size(); ++r)
        if (isSameProcess(info.rankPids[r], info.rankStartTicks[r]))
            return true;
    return false;
}

} // namespace rankscope::test
