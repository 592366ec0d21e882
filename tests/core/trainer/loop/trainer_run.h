// SPDX-License-Identifier: Apache-2.0
// Starts the real trainer program, one process per rank, on a small synthetic dataset, and reads what the ranks
// recorded.
#pragma once

#include "core/telemetry/board/board.h"
#include "core/telemetry/board/control_page.h"

#include <QProcess>
#include <QTemporaryDir>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

namespace rankscope::test {

/// The records of a rank, sorted by type.
struct RankStory {
    std::vector<telemetry::AnyRecord> all;
    std::vector<telemetry::StepRecord> steps;
    std::vector<telemetry::BatchRecord> batches;
    std::vector<telemetry::PhaseRecord> phases;
    std::vector<telemetry::CollectiveRecord> collectives;
    std::vector<telemetry::ResourceRecord> resources;
    std::vector<telemetry::ValidationRecord> validations;
    std::vector<telemetry::ScalarRecord> scalars;
    QStringList notes;
    QStringList warnings; ///< those notes that are warnings or errors
    std::optional<telemetry::EndRecord> end;
    std::optional<telemetry::AnchorRecord> anchor;

    QStringList tags() const; ///< of the collectives, in order of sequence
    const telemetry::CollectiveRecord* collective(const QString& tag, std::int64_t step) const;
    double phaseSeconds(telemetry::Phase phase, std::int64_t step) const; ///< summed
};
QString tagOf(const telemetry::CollectiveRecord& record);

class TrainerRun {
public:
    /// `trainer`: lines of the trainer section. `extra`: YAML at the top level (rankscope: …).
    explicit TrainerRun(int ranks, const QStringList& trainer = {"max_steps: 6"}, const QString& extra = {},
                        bool validates = false);
    ~TrainerRun(); ///< ends the processes that are still running

    bool valid() const { return m_problem.isEmpty(); }
    QString problem() const { return m_problem; }
    std::filesystem::path dir() const { return m_dir.path().toStdString() + "/run"; }
    /// Call it before the start: validation_ds gets a second set with the last `count` utterances, in this file next to
    /// the run.
    void addValidationSet(const QString& fileName, int count);
    telemetry::ControlPage& control() { return *m_control; }

    void start();
    QProcess& process(int rank) { return *m_processes.at(static_cast<std::size_t>(rank)); }
    bool waitForEnd(int seconds = 60); ///< all ranks
    int exitCode(int rank) {
        return process(rank).exitStatus() == QProcess::NormalExit ? process(rank).exitCode() : -1;
    }
    QString errorText(int rank); ///< stderr
    /// Waits until `predicate` is true for the rank's board.
    template <class Predicate> bool waitForBoard(int rank, Predicate predicate, int seconds = 30);
    RankStory story(int rank) const;

private:
    void writeData();
    QByteArray firstLines(const QString& name, int count) const;
    void writeConfig(const QStringList& trainer, const QString& extra);

    QTemporaryDir m_dir;
    bool m_validates;
    QString m_problem;
    std::optional<telemetry::ControlPage> m_control;
    std::vector<std::unique_ptr<QProcess>> m_processes;
    std::vector<QString> m_errors;
};

template <class Predicate> bool TrainerRun::waitForBoard(int rank, Predicate predicate, int seconds) {
    const auto path = dir() / "ranks" / std::to_string(rank) / "board";
    for (int i = 0; i < seconds * 50; ++i) {
        if (auto board = telemetry::BoardReader::open(path); board && predicate(board->snapshot())) {
            return true;
        }
        process(rank).waitForFinished(20);
    }
    return false;
}

} // namespace rankscope::test
