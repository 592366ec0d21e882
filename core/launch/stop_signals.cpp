// SPDX-License-Identifier: Apache-2.0
#include "core/launch/stop_signals.h"

#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

namespace rankscope::launch {

StopSignals::StopSignals() {
    sigset_t set;
    sigemptyset(&set);
    for (const int s : {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGCHLD})
        sigaddset(&set, s);
    ::sigprocmask(SIG_BLOCK, &set, &m_before);
    m_fd = UniqueFd(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
}

StopSignals::~StopSignals() {
    wait(0); // what came after the run's end was meant for the run
    ::sigprocmask(SIG_SETMASK, &m_before, nullptr);
}

StopSignals::Seen StopSignals::wait(int milliseconds) const {
    Seen seen;
    pollfd fd{m_fd.get(), POLLIN, 0};
    if (::poll(&fd, 1, milliseconds) <= 0)
        return seen;
    signalfd_siginfo info{};
    while (::read(m_fd.get(), &info, sizeof info) == static_cast<ssize_t>(sizeof info)) {
        if (info.ssi_signo == SIGCHLD)
            seen.child = true;
        else if (info.ssi_signo == SIGQUIT)
            seen.now = true;
        else
            ++seen.stop;
    }
    return seen;
}

} // namespace rankscope::launch
