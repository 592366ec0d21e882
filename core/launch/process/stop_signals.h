// SPDX-License-Identifier: Apache-2.0
// While one of these lives, the signals that end a run are read from a file descriptor, not delivered. What the process
// was started with counts: a signal that was ignored then (nohup, a shell's &) stays ignored.
#pragma once

#include "core/base/files/file.h"

#include <sys/types.h>

#include <csignal>

namespace rankscope::launch {

class StopSignals {
public:
    StopSignals();
    ~StopSignals();
    StopSignals(const StopSignals&) = delete;
    StopSignals& operator=(const StopSignals&) = delete;

    struct Seen {
        int stop = 0;       ///< SIGTERM, SIGINT, SIGHUP: how many, but for those of askToStop()
        bool now = false;   ///< SIGQUIT
        bool asked = false; ///< By askToStop(), or by SIGUSR1, SIGUSR2, SIGALRM: a batch system's, or timeout's.
        bool child = false;
        bool continued = false; ///< SIGCONT: this process may have been stopped
    };
    /// Waits until a signal comes, at most `milliseconds`.
    Seen wait(int milliseconds) const;

private:
    sigset_t m_before{}, m_ignored{};
    struct sigaction m_childBefore {};
    UniqueFd m_fd;
};

/// Asks a process that has StopSignals to stop its run. It hears this request even where it was started with the signal
/// ignored. False: errno says why not.
bool askToStop(pid_t pid, bool now);

/// For a child before its exec: every signal at its default, none blocked. Async-signal-safe.
void resetSignals();

} // namespace rankscope::launch
