// SPDX-License-Identifier: Apache-2.0
// While one of these objects lives, the signals that end a run are read from a file descriptor, not delivered. A signal
// that was ignored when the process was started (nohup, a shell's &) stays ignored.
#pragma once

#include "core/base/files/file.h"

#include <sys/types.h>

#include <csignal>
#include <span>

namespace rankscope::launch {

/// Changes how this process treats signals until it is destroyed; there must be only one.
class StopSignals {
public:
    StopSignals();
    ~StopSignals();
    StopSignals(const StopSignals&) = delete;
    StopSignals& operator=(const StopSignals&) = delete;

    /// The signals that have arrived since the last call of wait().
    struct Received {
        int stop = 0;       ///< number of SIGTERM, SIGINT and SIGHUP, except those sent by signalStop()
        int interrupts = 0; ///< number of SIGINT among them
        bool now = false;   ///< SIGQUIT
        /// By signalStop(), or by another signal that ends a process, such as SIGUSR1, SIGALRM or SIGXCPU, which a
        /// batch system or a time limit sends.
        bool asked = false;
        bool requested = false; ///< at least one of them was sent by signalStop()
        bool child = false;     ///< SIGCHLD: a child has changed its state
        bool continued = false; ///< SIGCONT: this process may have been stopped
    };
    /// Waits until a signal arrives or one of these descriptors becomes readable, at most `milliseconds`.
    Received wait(int milliseconds, std::span<const int> readable = {}) const;

private:
    sigset_t m_before{}, m_ignored{};
    struct sigaction m_childBefore {};
    UniqueFd m_fd;
};

/// Asks a process that has StopSignals to stop its run. The request arrives even if the process was started with the
/// signal ignored. False: errno says why it could not be sent.
bool signalStop(pid_t pid, bool now);

/// For a child before its exec: resets every signal to its default and blocks none. Async-signal-safe.
void resetSignals();

} // namespace rankscope::launch
