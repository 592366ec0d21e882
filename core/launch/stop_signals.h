// SPDX-License-Identifier: Apache-2.0
// While one of these lives, the signals that end a run are read from a file descriptor, not delivered.
#pragma once

#include "core/base/file.h"

#include <csignal>

namespace rankscope::launch {

class StopSignals {
public:
    StopSignals();
    ~StopSignals();
    StopSignals(const StopSignals&) = delete;
    StopSignals& operator=(const StopSignals&) = delete;

    struct Seen {
        int stop = 0;     ///< SIGTERM, SIGINT, SIGHUP: how many
        bool now = false; ///< SIGQUIT
        bool child = false;
    };
    /// Waits until a signal comes, at most `milliseconds`.
    Seen wait(int milliseconds) const;

private:
    sigset_t m_before{};
    UniqueFd m_fd;
};

} // namespace rankscope::launch
