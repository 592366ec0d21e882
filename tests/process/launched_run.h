// SPDX-License-Identifier: Apache-2.0
// rankscopectl as a user starts it, with target_rank in place of the trainer.
#pragma once

#include "core/launch/run/run_folder.h"
#include "core/store/read/run_reader.h"

#include <QByteArray>
#include <QJsonObject>
#include <QProcess>
#include <QStringList>
#include <QTemporaryDir>

#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace rankscope::test {

struct Outcome {
    int exitCode = -1; ///< -1: it did not end by itself in time
    QString out, err;
};

class Workplace {
public:
    Workplace();

    QString file(const QString& name, const QByteArray& text) const; ///< returns its path
    QString path(const QString& name) const { return m_dir.filePath(name); }
    QString runsDir() const { return m_dir.filePath("runs"); }
    QString config() const { return m_dir.filePath("config.yaml"); }
    /// `target`: the value of RANKSCOPE_TARGET.
    void setTarget(const QString& target) { m_target = target; }
    void setTrainer(const QString& program) { m_trainer = program; }

    Outcome ctl(const QStringList& args, int timeoutMs = 60'000) const;
    Outcome launch(const QStringList& more = {}, int timeoutMs = 60'000) const;
    /// Starts a run in the background; the process is its supervisor. `inChild` is called in the child before exec.
    std::unique_ptr<QProcess> start(const QStringList& more = {}, const std::function<void()>& inChild = {}) const;
    QStringList launchArgs(const QStringList& more) const;

    /// Returns the only run in the folder of runs.
    launch::RunPaths run() const;
    launch::RunInfo info() const;
    bool reachesStep(std::int64_t step) const;  ///< according to both ranks' boards
    std::vector<std::string> leftovers() const; ///< names in the folder of runs, including hidden ones

    struct Appended {
        std::int64_t begun = 0, done = 0;
    };
    Appended appended(int rank) const; ///< as counted by the target itself
    std::int64_t counter(const char* name, int rank) const;
    QJsonArray incidents() const;
    bool anyRankLives(const launch::RunInfo& info) const;
    bool runsAt(std::int64_t step) const; ///< according to the run's state and boards

    QProcessEnvironment environment() const;

private:
    QTemporaryDir m_dir;
    QString m_target, m_trainer;
};

} // namespace rankscope::test
