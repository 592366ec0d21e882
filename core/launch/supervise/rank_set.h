// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/launch/command/guarded_command.h"
#include "core/launch/monitors/run_monitors.h"
#include "core/launch/process/rank_monitor.h"
#include "core/launch/run/board_list.h"
#include "core/launch/run/launch_spec.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace rankscope::launch {

/// The processes of a run: ranks that the supervisor starts itself, a command that starts them, or ranks that other
/// programs have started.
class RankSet {
public:
    /// Uses the reference as long as it lives.
    explicit RankSet(const PreparedLaunch& plan);

    /// Starts the ranks, or the command; does nothing if other programs start the ranks.
    Result<void> start();
    /// Kills what start() has started.
    void clear();

    /// Returns the ranks whose boards are new since they were taken: the rank has appeared, or was started again.
    std::vector<ReportingRank> appeared(std::int64_t nowNs);
    /// Makes room for this number of ranks, of which none has appeared yet.
    void expect(int worldSize);
    /// Returns whether one of them was started again: all of them are then expected to be.
    bool isNewAttempt(const std::vector<ReportingRank>& ranks) const;
    /// Forgets the ranks that have ended, because a new attempt begins.
    void beginAttempt();
    /// Watches a rank that has appeared. Returns what the run's notes should say about it; empty: nothing.
    std::string take(const ReportingRank& rank);
    /// Records the processes of all ranks.
    void writeTo(RunInfo& info) const;

    /// Looks at all processes. Returns whether a rank was found to have ended. `monitors`: knows which are traced.
    bool poll(std::int64_t nowNs, const RunMonitors& monitors);
    /// Returns whether all processes have ended, and no more are to be expected.
    bool areOver(std::int64_t nowNs);
    /// Asks the command to end; if there is none, or it has ended, all ranks.
    void terminate();
    void kill(); ///< everything
    /// Returns whether the ranks that live wait for one that has ended before all had joined.
    bool waitsInVain() const;
    void endWaiting(); ///< ends those ranks
    /// Interrupts the command as Ctrl-C would. Returns false if there is none, or it has ended.
    bool interrupt();
    /// Ends what the command has left, after a time in which it may end by itself. `stopping`: without that time.
    void endLeftovers(std::int64_t nowNs, bool stopping);
    /// Concludes that ranks whose processes cannot be seen have ended, because nothing else is left.
    void assumeEnded(std::int64_t nowNs);

    /// Wakes ranks that stopped themselves by the `stopped` fault, once its time is over.
    void resumeStopped(std::int64_t nowNs);
    /// Adds the libraries that ranks have reported. Returns whether there was a new one.
    bool addVersionsTo(RunInfo& info) const;

    std::vector<RankMonitor>& ranks() { return m_ranks; }
    const std::vector<RankMonitor>& ranks() const { return m_ranks; }
    const std::optional<GuardedCommand>& command() const { return m_command; }
    bool anyLives() const;    ///< a rank that has appeared and not ended
    bool anyAppeared() const; ///< since the run began
    /// Returns whether all ranks that have appeared train, or have done so; false before there is one.
    bool areRunning() const;
    /// Returns descriptors that become readable when a process ends.
    std::vector<int> descriptors() const;

private:
    bool isComplete() const;
    std::unique_ptr<RankProcess> processOf(const ReportingRank& rank) const;

    const PreparedLaunch& m_plan;
    std::optional<GuardedCommand> m_command;
    std::vector<RankMonitor> m_ranks;
    std::vector<ReportingRank> m_taken;               ///< newest process of each rank; pid 0: none yet
    std::set<int> m_attempt;                          ///< ranks that have appeared in this attempt
    std::map<int, std::string> m_earlierEnds;         ///< how ranks ended that a new attempt has forgotten
    std::set<int> m_misfits;                          ///< ranks beyond the number of ranks, which are reported once
    std::int64_t m_lookedNs = 0;                      ///< for boards
    std::int64_t m_allGoneNs = 0;                     ///< since when no rank lives; 0: one does
    std::int64_t m_commandEndedNs = 0, m_askedNs = 0; ///< askedNs: when the leftovers were asked to end; 0: not yet
};

} // namespace rankscope::launch
