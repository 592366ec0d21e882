// SPDX-License-Identifier: Apache-2.0
// Stacks of an incident's holder and of one waiter, once per incident. The native ones are taken by a separate process
// ('rankscopectl stacks --pid'), so that neither its time nor a crash of it affects the supervisor. A rank that runs in
// Python writes those of its Python threads itself, when it gets a signal.
#pragma once

#include "core/launch/process/helper_process.h"
#include "core/launch/process/rank_monitor.h"
#include "core/store/tables/stack_and_usage_rows.h"

#include <cstdint>
#include <deque>
#include <filesystem>
#include <list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace rankscope::launch {

/// Returns the living ranks whose stacks are taken for an incident, holders first; with their roles. Pure.
std::vector<std::pair<int, std::string>> ranksToLookInto(const diagnosis::Incident& incident,
                                                         const std::vector<diagnosis::ProcessView>& processes);

/// Starts the processes that take stacks, and turns what they write into rows. Stacks that cannot be taken give a row
/// that says why.
class StackTaker {
public:
    /// Takes stacks for the incidents among these that have just opened.
    void take(const std::vector<diagnosis::Transition>& transitions, const std::vector<RankMonitor>& ranks);
    /// Starts and ends what is due; never waits.
    void round(std::int64_t nowNs);
    /// Returns the rows to be stored; they are kept until stored() is called.
    const std::vector<store::StackRow>& rows() const { return m_rows; }
    void stored() { m_rows.clear(); }
    /// Returns whether one of our helpers is inspecting this process now; it may then show as traced.
    bool holds(pid_t pid) const;

private:
    struct CaptureJob {
        std::int64_t incident = 0;
        int rank = 0;
        std::string role;
        pid_t pid = 0;
        std::uint64_t startTicks = 0;
        int pythonSignal = 0; ///< 0: it writes no Python stacks
        std::filesystem::path pythonFile;
    };
    struct Running {
        CaptureJob job;
        std::int64_t sinceNs = 0;
        HelperProcess helper;
        std::uint64_t pythonFrom = 0;  ///< size of the file before the signal
        std::uint64_t pythonUntil = 0; ///< in the last round
        std::optional<HelperProcess::HelperEnd> end;
    };
    void start(CaptureJob job, std::int64_t nowNs);
    static bool isWritten(Running& running, std::int64_t nowNs);
    void keep(const Running& running);
    void keepProblem(const CaptureJob& job, std::int64_t nowNs, const std::string& why);

    std::deque<CaptureJob> m_waiting;
    std::list<Running> m_running;
    std::vector<store::StackRow> m_rows;
};

} // namespace rankscope::launch
