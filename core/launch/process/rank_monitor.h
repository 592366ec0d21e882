// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/diagnosis/model/observation.h"
#include "core/launch/process/child_process.h"
#include "core/launch/process/run_outcome.h"
#include "core/launch/run/launch_spec.h"
#include "core/launch/run/run_folder.h"
#include "core/telemetry/board/board.h"

#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace rankscope::launch {

/// What the supervisor knows about one rank: its process, its board, and the few figures of its records that the
/// supervisor needs.
class RankMonitor {
public:
    RankMonitor(int rank, const RunPaths& run) : m_rank(rank), m_run(run) { m_end.rank = rank; }

    Result<void> start(const PreparedLaunch::RankLaunch& plan);
    /// Watches a rank that another program started, and forgets what an earlier process of the same rank did.
    /// `process`: null if it is in another PID namespace; what is known about it is then what its board says.
    void watch(std::unique_ptr<RankProcess> process);
    /// Forgets a process that has ended, because all ranks are started again.
    void forget();
    /// Reads the states of process and board; returns whether the process was found to have ended. `held`: a helper may
    /// be tracing it, so that a traced process does not count as stopped.
    bool poll(std::int64_t nowNs, bool held = false);
    void add(std::span<const telemetry::AnyRecord> records);
    /// Records that nothing of the rank can be left, although its process was never seen.
    void assumeEnded(const ProcessEnd& end);
    /// The kernel has killed a process for lack of memory since the run began. That is assumed to be the cause for a
    /// rank that ended by a SIGKILL which was not sent from here.
    void attributeToOutOfMemory();
    /// Sends a signal that is to end the rank.
    void terminate(int signal);
    /// Kills it while it waits for a rank that will not join. It cannot leave by itself, and nothing is lost.
    void endWaiting();
    void resume();

    int rank() const { return m_rank; }
    /// Returns names and versions of the libraries that it has reported.
    const std::vector<std::pair<std::string, std::string>>& software() const { return m_software; }
    pid_t pid() const { return m_process ? m_process->pid() : 0; }
    /// Returns a descriptor that becomes readable when its process ends; -1: none.
    int endDescriptor() const { return m_process ? m_process->endDescriptor() : -1; }
    std::uint64_t startTicks() const { return m_process ? m_process->startTicks() : 0; }
    bool ended() const { return m_end.process.has_value(); }
    /// Returns whether it reported, by record or board, that it is done, well or badly.
    bool reportedDone() const { return m_end.said.has_value(); }
    bool running() const; ///< in its training loop, or after it
    bool appeared() const { return m_process || m_hidden; }
    /// Returns the signal upon which the rank writes the stacks of its Python threads; 0: it does not.
    int pythonStackSignal() const { return m_pythonStackSignal; }
    std::filesystem::path pythonStacks() const { return m_run.pythonStacks(m_rank); } ///< the file to which it does
    /// Returns whether a process other than this supervisor sent it a signal to leave.
    bool isAskedToLeave() const { return m_asked.signal != 0; }
    const RankEnd& end() const { return m_end; }
    const std::optional<telemetry::BoardSnapshot>& board() const { return m_board; }
    /// Returns the process as the detector should see it: an end by the supervisor or the user does not count as a
    /// death. `leaving`: the run stops because a rank was asked to leave.
    diagnosis::ProcessView view(bool stopping, bool leaving = false) const;
    std::int64_t stoppedSinceNs() const { return m_stoppedSinceNs; } ///< 0: it is not stopped
    int timesStopped() const { return m_timesStopped; }
    /// Returns whether it was stopped and has continued since the last call.
    bool takeContinued() { return std::exchange(m_continued, false); }
    std::int64_t cpuNs() const { return m_cpuNs; } ///< processor time that it has used

    std::int64_t lastStep() const { return m_lastStep; }          ///< finished, from 0; -1: none
    std::optional<double> lastLoss() const { return m_lastLoss; } ///< NaN: not a number; none: not known
    double stepsPerSecond() const;
    /// Returns when its newest steps ended, ascending.
    std::vector<std::int64_t> stepEnds() const { return {m_stepEnds.begin(), m_stepEnds.end()}; }
    double samplesPerStep() const; ///< mean number of audio samples over the same steps; 0: none has ended

private:
    void readBoard();
    void takeReportedCode();
    void takeSoftware(const telemetry::SoftwareRecord& record);
    void takeRequest(const telemetry::LeaveRequest& request);
    void checkProcess(std::int64_t nowNs, bool held);
    bool isReleased(bool stopped, std::int64_t nowNs);
    void lookForAbort(std::int64_t nowNs);
    void checkLog(std::int64_t nowNs);
    void sawEnd(const ProcessEnd& end);
    void lookForFullDisk();

    int m_rank;
    RunPaths m_run;
    std::unique_ptr<RankProcess> m_process; ///< null: it has not appeared yet
    std::optional<telemetry::BoardReader> m_reader;
    std::optional<telemetry::BoardSnapshot> m_board;
    RankEnd m_end;
    std::optional<int> m_reportedCode; ///< exit code in its end record
    bool m_hidden = false;             ///< its process cannot be seen from here
    int m_pythonStackSignal = 0;
    std::vector<std::pair<std::string, std::string>> m_software;
    telemetry::LeaveRequest m_asked;
    std::string m_askedBy; ///< name of the user
    std::set<int> m_sent;  ///< signals meant to end it
    std::int64_t m_stoppedSinceNs = 0;
    std::int64_t m_runsSinceNs = 0; ///< since when it runs, though it may still be stopped; 0: it does not
    int m_timesStopped = 0, m_stopSignal = 0;
    bool m_continued = false;
    std::int64_t m_cpuNs = 0;
    std::int64_t m_startedNs = 0, m_readLogNs = 0;
    std::string m_startLines; ///< of its log, while it takes long to join
    std::int64_t m_lastStep = -1;
    std::optional<double> m_lastLoss;
    std::deque<std::int64_t> m_stepEnds; ///< of the newest steps
    std::deque<double> m_stepSamples;    ///< of the same
};

} // namespace rankscope::launch
