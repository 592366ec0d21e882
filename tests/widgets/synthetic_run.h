// SPDX-License-Identifier: GPL-3.0-or-later
// Makes a run folder from the records that a test describes, with the store's own writer, so that readers are tested
// unchanged.
#pragma once

#include "core/launch/run/run_folder.h"
#include "core/store/write/run_writer.h"

#include <QTemporaryDir>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace rankscope::test {

struct RankStep {
    double loss = 1;
    std::int64_t frames = 400;
    std::int64_t lateNs = 0; ///< how much later than usual the rank arrives in the all-reduce
    /// additional records of the step; their times are relative to its start
    std::vector<telemetry::PhaseRecord> phases{};
    std::vector<telemetry::CollectiveRecord> collectives{};
    int batch = 4; ///< 0: no batch is recorded
};

class SyntheticRun {
public:
    static constexpr std::int64_t kStepNs = 100'000'000;

    /// If the state is live, this process is the run's supervisor.
    SyntheticRun(int worldSize, launch::RunState state, std::int64_t totalSteps = 0, store::Retention retention = {});

    /// Sets the first step that is added, as for a resumed run.
    void beginAt(std::int64_t step) { m_begins.resize(static_cast<std::size_t>(step)); }
    /// Sets the run that run.json names as the one it was resumed from.
    void setResumedFrom(const std::string& id);
    /// Moves the folder of an ended run next to that of another run, under this name.
    void moveBeside(const SyntheticRun& other, const std::string& id);
    /// Appends steps; the waits are those in their all-reduce.
    void addSteps(std::int64_t count, const std::function<RankStep(int rank, std::int64_t step)>& describe);
    /// Adds an incident that opens when ranks usually arrive in the step (for a step that never ended: when the one
    /// before it ended) and closes after `lastedNs`; 0: it stays open.
    diagnosis::Incident addIncident(std::int64_t id, diagnosis::Cause cause, int holder, std::int64_t step,
                                    std::int64_t lastedNs,
                                    diagnosis::CloseReason closed = diagnosis::CloseReason::Recovered);
    /// Adds a stack with two frames, of one thread of a rank.
    void addStack(std::int64_t incident, int rank, const char* role, const std::string& innermost);
    /// Adds a validation after the newest step; each rank reports the same mean loss.
    void addValidation(double loss);
    /// Adds a checkpoint that rank 0 writes after this step.
    void addCheckpoint(std::int64_t step);
    void addCheck(int rank, const std::string& name, telemetry::CheckStatus status, const std::string& text);
    /// Adds a rank's measurements of its process at the start of a step; a GPU value of -1: it has no GPU.
    void addResources(int rank, std::int64_t step, std::int64_t rssBytes, std::int64_t cpuNs,
                      std::int64_t gpuBytes = -1, int gpuPercent = -1);
    void addNote(telemetry::NoteSeverity severity, const std::string& text);
    /// Adds a time, in ns since the run's start, in which no supervisor watched the ranks.
    void addUnwatched(std::int64_t beginNs, std::int64_t endNs);
    void addEnds(telemetry::EndCause cause);
    /// Updates run.json.
    void setState(launch::RunState state, const std::string& cause = {});
    void writeLog(int rank, const std::string& text, bool append = false); ///< rank -1: the supervisor's
    void finishStore();

    const launch::RunPaths& paths() const { return m_paths; }
    const launch::RunInfo& info() const { return m_info; }
    std::int64_t stepBegin(std::int64_t step) const { return m_begins[static_cast<std::size_t>(step)]; }

private:
    void commit(const std::vector<std::vector<telemetry::AnyRecord>>& ranks,
                const std::vector<diagnosis::Transition>& transitions);

    QTemporaryDir m_dir;
    launch::RunPaths m_paths;
    launch::RunInfo m_info;
    std::optional<store::RunWriter> m_store;
    std::vector<std::int64_t> m_begins;
    std::vector<std::uint64_t> m_slots; ///< journal position by rank
    std::int64_t m_nowNs = 0;
};

} // namespace rankscope::test
