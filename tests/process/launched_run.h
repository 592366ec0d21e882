// SPDX-License-Identifier: Apache-2.0
// rankscopectl as a user starts it, with target_rank in the trainer's place.
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

    QString file(const QString& name, const QByteArray& text) const; ///< its path
    QString path(const QString& name) const { return m_dir.filePath(name); }
    QString runsDir() const { return m_dir.filePath("runs"); }
    QString config() const { return m_dir.filePath("config.yaml"); }
    /// `target`: RANKSCOPE_TARGET.
    void setTarget(const QString& target) { m_target = target; }
    void setTrainer(const QString& program) { m_trainer = program; }

    Outcome ctl(const QStringList& args, int timeoutMs = 60'000) const;
    Outcome launch(const QStringList& more = {}, int timeoutMs = 60'000) const;
    /// In the background of the test; the process is its supervisor. `inChild`: what it does before its exec.
    std::unique_ptr<QProcess> start(const QStringList& more = {}, const std::function<void()>& inChild = {}) const;
    QStringList launchArgs(const QStringList& more) const;

    /// The one run that is there.
    launch::RunPaths run() const;
    launch::RunInfo info() const;
    bool reachesStep(std::int64_t step) const;  ///< by the boards of both ranks
    std::vector<std::string> leftovers() const; ///< names in the folder of runs, hidden ones too

    struct Appended {
        std::int64_t begun = 0, done = 0;
    };
    Appended appended(int rank) const; ///< what the target itself counted
    std::int64_t counter(const char* name, int rank) const;
    QJsonArray incidents() const;
    bool anyRankLives(const launch::RunInfo& info) const;
    bool runsAt(std::int64_t step) const; ///< state and boards say so

    QProcessEnvironment environment() const;

private:
    QTemporaryDir m_dir;
    QString m_target, m_trainer;
};

} // namespace rankscope::test
