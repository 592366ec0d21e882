// SPDX-License-Identifier: Apache-2.0
// All that the supervisor knows of one rank: process, board, and the few figures of its records that it needs itself.
#pragma once

#include "core/diagnosis/model/observation.h"
#include "core/launch/process/child_process.h"
#include "core/launch/process/run_outcome.h"
#include "core/launch/run/launch_spec.h"
#include "core/launch/run/run_folder.h"
#include "core/telemetry/board/board.h"

#include <deque>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace rankscope::launch {

class RankWatch {
public:
    RankWatch(int rank, const RunPaths& run) : m_rank(rank), m_run(run) { m_end.rank = rank; }

    Result<void> start(const LaunchPlan::Rank& plan);
    /// Looks at process and board; true when the process's end was seen now. `held`: a helper of ours may be tracing
    /// it, so that being traced says nothing.
    bool look(std::int64_t nowNs, bool held = false);
    void take(std::span<const telemetry::AnyRecord> records);
    /// The kernel killed for memory since the run began: believed of a rank that a SIGKILL of nobody's ended.
    void blameMemory();
    /// A signal that shall end it.
    void terminate(int signal);
    void resume();

    int rank() const { return m_rank; }
    pid_t pid() const { return m_child ? m_child->pid() : 0; }
    std::uint64_t startTicks() const { return m_child ? m_child->startTicks() : 0; }
    bool ended() const { return m_end.process.has_value(); }
    /// It told by record or board that it is done, well or badly.
    bool said() const { return m_end.said.has_value(); }
    bool running() const; ///< in its training loop, or past it
    /// Somebody else than this supervisor sent it a signal that asks it to leave.
    bool isAskedToLeave() const { return m_asked.signal != 0; }
    const RankEnd& end() const { return m_end; }
    const std::optional<telemetry::BoardSnapshot>& board() const { return m_board; }
    /// How the detector shall see it: what the supervisor or the user ended is no death. `leaving`: the run stops
    /// because a rank was asked to leave.
    diagnosis::ProcessView view(bool stopping, bool leaving = false) const;
    std::int64_t stoppedSinceNs() const { return m_stoppedSinceNs; } ///< 0: it is not stopped
    int timesStopped() const { return m_timesStopped; }

    std::int64_t lastStep() const { return m_lastStep; } ///< finished, from 0; -1: none
    double lastLoss() const { return m_lastLoss; }
    double stepsPerSecond() const;
    /// When its newest steps ended, ascending.
    std::vector<std::int64_t> stepEnds() const { return {m_stepEnds.begin(), m_stepEnds.end()}; }
    double samplesPerStep() const; ///< of audio, over the same steps; 0: none has ended

private:
    void lookAtBoard();
    void takeRequest(const telemetry::LeaveRequest& request);
    void lookAtProcess(std::int64_t nowNs, bool held);
    void lookAtLog(std::int64_t nowNs);
    void sawEnd(const ChildProcess::End& end);

    int m_rank;
    RunPaths m_run;
    std::optional<ChildProcess> m_child;
    std::optional<telemetry::BoardReader> m_reader;
    std::optional<telemetry::BoardSnapshot> m_board;
    RankEnd m_end;
    telemetry::LeaveRequest m_asked;
    std::string m_askedBy; ///< name of the user
    std::set<int> m_sent;  ///< signals meant to end it
    std::int64_t m_stoppedSinceNs = 0;
    int m_timesStopped = 0, m_stopSignal = 0;
    std::int64_t m_startedNs = 0, m_readLogNs = 0;
    std::string m_startLines; ///< of its log, while it takes long to join
    std::int64_t m_lastStep = -1;
    double m_lastLoss = 0;
    std::deque<std::int64_t> m_stepEnds; ///< of the newest steps
    std::deque<double> m_stepSamples;    ///< of the same
};

} // namespace rankscope::launch
