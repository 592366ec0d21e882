// SPDX-License-Identifier: Apache-2.0
#include "core/launch/process/stop_signals.h"

#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <vector>

namespace rankscope::launch {

static constexpr int kRequest = 0x52530001; ///< sent with a signal by signalStop()

/// Returns every signal that would end this process, and that it can handle. Those of defects are not among them.
static std::vector<int> endingSignals() {
    std::vector<int> all{SIGTERM, SIGINT,    SIGHUP,  SIGQUIT, SIGUSR1, SIGUSR2,
                         SIGALRM, SIGVTALRM, SIGPROF, SIGXCPU, SIGIO,   SIGPWR};
    for (int s = SIGRTMIN; s <= SIGRTMAX; ++s)
        all.push_back(s);
    return all;
}

StopSignals::StopSignals() {
    // if SIGCHLD is ignored, as inherited from some daemons and CI agents, the ends of children are never reported
    struct sigaction plain {};
    plain.sa_handler = SIG_DFL;
    ::sigaction(SIGCHLD, &plain, &m_childBefore);
    sigset_t set;
    sigemptyset(&set);
    sigemptyset(&m_ignored);
    sigaddset(&set, SIGCHLD);
    sigaddset(&set, SIGCONT);
    for (const int s : endingSignals()) {
        struct sigaction inherited {};
        if (::sigaction(s, nullptr, &inherited) == 0 && inherited.sa_handler == SIG_IGN)
            sigaddset(&m_ignored, s); // the kernel queues blocked signals, ignored or not
        sigaddset(&set, s);
    }
    ::sigprocmask(SIG_BLOCK, &set, &m_before);
    m_fd = UniqueFd(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
}

StopSignals::~StopSignals() {
    wait(0); // what arrived after the run's end was meant for the run
    ::sigprocmask(SIG_SETMASK, &m_before, nullptr);
    ::sigaction(SIGCHLD, &m_childBefore, nullptr);
}

StopSignals::Received StopSignals::wait(int milliseconds, std::span<const int> readable) const {
    Received seen;
    std::vector<pollfd> fds{{m_fd.get(), POLLIN, 0}};
    for (const int fd : readable)
        fds.push_back({fd, POLLIN, 0});
    if (::poll(fds.data(), fds.size(), milliseconds) <= 0)
        return seen;
    signalfd_siginfo info{};
    while (::read(m_fd.get(), &info, sizeof info) == static_cast<ssize_t>(sizeof info)) {
        const bool request = info.ssi_code == SI_QUEUE && info.ssi_int == kRequest;
        const int number = static_cast<int>(info.ssi_signo);
        seen.requested |= request;
        if (number == SIGCHLD)
            seen.child = true;
        else if (number == SIGCONT)
            seen.continued = true;
        else if (!request && sigismember(&m_ignored, number) == 1)
            continue;
        else if (number == SIGQUIT)
            seen.now = true;
        else if (request || (number != SIGTERM && number != SIGINT && number != SIGHUP))
            seen.asked = true;
        else {
            ++seen.stop;
            seen.interrupts += number == SIGINT ? 1 : 0;
        }
    }
    return seen;
}

bool signalStop(pid_t pid, bool now) {
    return ::sigqueue(pid, now ? SIGQUIT : SIGTERM, sigval{kRequest}) == 0;
}

void resetSignals() {
    struct sigaction plain {};
    plain.sa_handler = SIG_DFL;
    for (int s = 1; s < NSIG; ++s)
        ::sigaction(s, &plain, nullptr); // those that cannot be set are at their default anyway
    sigset_t none;
    sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

} // namespace rankscope::launch
