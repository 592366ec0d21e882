// SPDX-License-Identifier: Apache-2.0
// One run of the real programs in its own folder, for the tests in this folder.
#pragma once

#include "core/launch/run/run_folder.h"
#include "core/store/read/run_reader.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QTemporaryDir>

#include <memory>
#include <vector>

namespace rankscope::test {

struct Outcome {
    int exitCode = -1;
    QByteArray out, err;
};

/// Runs `rankscopectl ARGS`; the exit code is -1 if it did not end within `timeoutMs`.
Outcome ctl(const QStringList& args, int timeoutMs = 300'000);

/// Speech to train on: real recordings if RANKSCOPE_TEST_AUDIO names them, else the synthetic sample.
struct Speech {
    QString trainManifest, noiseManifest;
    bool real = false;
};
Speech speech(const QTemporaryDir& dir);

/// Returns a manifest of `count` synthetic utterances, each `seconds[i % size]` long: tones over noise, 16 kHz WAV.
QString toneManifest(const QTemporaryDir& dir, int count, const std::vector<double>& seconds);

/// A small model on the given manifests, with steps of some tens of milliseconds. Faults are YAML in flow style.
struct RunOptions {
    QString manifest, noiseManifest;
    int steps = 40, ranks = 2, batchSize = 2, workers = 1;
    QString faults = "[]";
    double stallMinSeconds = 1.0;
    QStringList more;
};

class TestRun {
public:
    TestRun();
    QStringList launchArgs(const RunOptions& options) const;
    /// Runs it in the foreground until it ends.
    Outcome launch(const RunOptions& options, int timeoutMs = 300'000);
    /// Starts it in the background, as a child of the test: pid() is the supervisor's.
    bool start(const RunOptions& options);
    qint64 pid() const { return m_process ? m_process->processId() : 0; }
    int waitForEnd(int timeoutMs);

    launch::RunPaths paths() const; ///< of the only run in the folder
    launch::RunInfo info() const;
    store::RunReader reader() const;
    QJsonArray incidents() const; ///< of `diagnose --json`
    std::int64_t lastStep(int rank) const;
    /// Returns a rank's steps from the store, one point per step.
    std::vector<store::SeriesPoint> series(store::Metric metric, int rank) const;

    QTemporaryDir& dir() { return m_dir; }
    QString runsDir() const { return m_dir.filePath("runs"); }

private:
    QTemporaryDir m_dir;
    std::unique_ptr<QProcess> m_process;
};

} // namespace rankscope::test
