// SPDX-License-Identifier: GPL-3.0-or-later
// A run folder made through the store's own writer from records that a test describes: no fake reader anywhere.
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
    std::int64_t lateNs = 0; ///< arrives so much after the step's usual moment
    /// More of the step, with times since its begin.
    std::vector<telemetry::PhaseRecord> phases{};
    std::vector<telemetry::CollectiveRecord> collectives{};
    int batch = 4; ///< 0: nothing is told of it
};

class SyntheticRun {
public:
    static constexpr std::int64_t kStepNs = 100'000'000;

    /// A live state claims this very process as supervisor.
    SyntheticRun(int worldSize, launch::RunState state, std::int64_t totalSteps = 0, store::Retention retention = {});

    /// As a resumed run: the first step that is added is this one.
    void beginAt(std::int64_t step) { m_begins.resize(static_cast<std::size_t>(step)); }
    /// What run.json says of where it came from.
    void setResumedFrom(const std::string& id);
    /// Of an ended run: its folder, beside that of another run and of this name.
    void moveBeside(const SyntheticRun& other, const std::string& id);
    /// Appends steps; their all-reduce makes the waits.
    void addSteps(std::int64_t count, const std::function<RankStep(int rank, std::int64_t step)>& describe);
    /// Opened when the step's usual arrivals are (of a step that never ended: when the one before it ended); closed
    /// after `lastedNs`, 0: open.
    diagnosis::Incident addIncident(std::int64_t id, diagnosis::Cause cause, int holder, std::int64_t step,
                                    std::int64_t lastedNs);
    /// One thread of one rank, with two frames.
    void addStack(std::int64_t incident, int rank, const char* role, const std::string& innermost);
    /// After the newest step; each rank tells the same mean.
    void addValidation(double loss);
    /// Rank 0 writes one after this step.
    void addCheckpoint(std::int64_t step);
    void addCheck(int rank, const std::string& name, telemetry::CheckStatus status, const std::string& text);
    /// What a rank tells of its process at the begin of a step; a GPU's -1: it has none.
    void addResources(int rank, std::int64_t step, std::int64_t rssBytes, std::int64_t cpuNs,
                      std::int64_t gpuBytes = -1, int gpuPercent = -1);
    void addNote(telemetry::NoteSeverity severity, const std::string& text);
    void addEnds(telemetry::EndCause cause);
    /// Writes run.json again.
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
