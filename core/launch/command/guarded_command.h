// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/values/error.h"
#include "core/launch/command/command_guard.h"
#include "core/launch/process/foreign_process.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace rankscope::launch {

/// A program that the user runs, with everything that it starts, below a guard (command_guard.h).
class GuardedCommand {
public:
    /// Starts the guard, and the program below it; returns once the program runs. An Error names the program, or the
    /// log if that cannot be written. Call it while this process has no other threads. `mark`: a variable of its
    /// environment, "NAME=value", that only this command and its descendants have. If the guard is killed, they are
    /// found by it.
    static Result<GuardedCommand> start(const CommandLine& command, std::string mark);
    GuardedCommand(GuardedCommand&& other) noexcept = default;
    GuardedCommand& operator=(GuardedCommand&&) = delete;
    ~GuardedCommand(); ///< kills everything that is left, and waits for it

    pid_t pid() const { return m_pid; }
    std::uint64_t startTicks() const { return m_startTicks; }
    /// Reads what the guard has reported. Call it before the other functions, in every round.
    void poll();
    /// Returns how the program itself ended; none: it runs.
    const std::optional<ProcessEnd>& end() const { return m_end; }
    /// Returns how an orphan ended that the guard has collected; none: it is not known here.
    std::optional<ProcessEnd> endOf(pid_t pid) const;
    /// Returns whether the program has ended, and everything that it started as well.
    bool allEnded() const { return m_allEnded; }
    /// Returns whether the guard was killed. The kernel has killed the program then, and everything else is killed
    /// here.
    bool isGuardLost() const { return m_guardLost; }
    /// Returns why output of the command was lost (errno); 0: none was.
    int outputError() const { return m_outputError; }
    /// Sends a signal to the program itself.
    void signal(int number) const;
    /// Interrupts the program as Ctrl-C in its terminal would.
    void interrupt() const;
    /// Asks what the program has left to end: sends SIGTERM to the processes whose parents are gone.
    void terminateRest();
    /// Kills the program and everything that it started.
    void kill();
    /// Returns a descriptor that becomes readable when there is something to poll; -1: there is none.
    int descriptor() const { return m_guardLost || m_allEnded ? -1 : m_reports.get(); }

private:
    GuardedCommand(pid_t guard, std::string mark) : m_guard(guard), m_mark(std::move(mark)) {}
    void takeOver();
    void request(char what) const;

    pid_t m_guard;
    std::string m_mark;
    UniqueFd m_reports, m_requests;
    pid_t m_pid = -1;
    std::uint64_t m_startTicks = 0;
    int m_outputError = 0;
    std::optional<ForeignProcess> m_program; ///< for signals
    std::optional<ProcessEnd> m_end;
    std::map<pid_t, ProcessEnd> m_ends; ///< of orphans
    bool m_guardLost = false, m_allEnded = false, m_kills = false;
};

} // namespace rankscope::launch
