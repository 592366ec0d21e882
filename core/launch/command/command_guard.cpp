// SPDX-License-Identifier: Apache-2.0
#include "core/launch/command/command_guard.h"

#include "core/base/process/process_identity.h"
#include "core/base/values/clock.h"
#include "core/base/values/result.h"
#include "core/launch/command/output_copy.h"
#include "core/launch/command/process_tree.h"
#include "core/launch/process/child_process.h"
#include "core/launch/process/stop_signals.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <optional>
#include <utility>

namespace rankscope::launch {

namespace {

constexpr std::int64_t kKillEveryNs = 20'000'000;
constexpr int kIdleMs = 500; ///< the longest time until a change of the terminal's size is seen

/// The two ends of a stream between the command and the guard.
struct Stream {
    UniqueFd child, guard;
};

[[noreturn]] void leaveWith(const GuardPipes& pipes, int error) {
    errno = error;
    failExec(pipes.failure.get());
}

/// Makes a pseudoterminal with the settings of `terminal`, but without echo and output processing, which the real
/// terminal does. Returns none if that fails.
std::optional<Stream> makeTerminal(int terminal) {
    Stream made;
    made.guard = UniqueFd(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
    std::array<char, 64> name{};
    if (!made.guard || ::grantpt(made.guard.get()) != 0 || ::unlockpt(made.guard.get()) != 0 ||
        ::ptsname_r(made.guard.get(), name.data(), name.size()) != 0)
        return std::nullopt;
    made.child = UniqueFd(::open(name.data(), O_RDWR | O_NOCTTY | O_CLOEXEC));
    termios settings{};
    if (!made.child || ::tcgetattr(terminal, &settings) != 0)
        return std::nullopt;
    settings.c_oflag &= ~static_cast<tcflag_t>(OPOST);
    settings.c_lflag &= ~static_cast<tcflag_t>(ECHO);
    ::tcsetattr(made.child.get(), TCSANOW, &settings);
    return made;
}

std::optional<Stream> makeStream(int like) {
    if (::isatty(like) == 1)
        return makeTerminal(like);
    auto pipe = makePipe("make a pipe", "");
    if (!pipe)
        return std::nullopt;
    return Stream{std::move(pipe->writing), std::move(pipe->reading)};
}

bool isSameFile(int a, int b) {
    struct stat first {
    }, second{};
    return ::fstat(a, &first) == 0 && ::fstat(b, &second) == 0 && first.st_dev == second.st_dev &&
           first.st_ino == second.st_ino;
}

/// Closes all descriptors from 3 on, except `kept`.
void closeOthers(std::vector<int> kept) {
    std::sort(kept.begin(), kept.end());
    unsigned next = 3;
    for (const int fd : kept)
        if (fd >= 3) {
            if (static_cast<unsigned>(fd) > next)
                ::close_range(next, static_cast<unsigned>(fd) - 1, 0);
            next = static_cast<unsigned>(fd) + 1;
        }
    ::close_range(next, ~0u, 0);
}

class Guard {
public:
    Guard(const CommandLine& command, const std::vector<std::string>& environment, GuardPipes pipes, UniqueFd log)
        : m_command(command), m_argv(execPointers(command.argv)), m_environment(execPointers(environment)),
          m_pipes(std::move(pipes)), m_log(std::move(log)) {}

    [[noreturn]] void run() {
        prepare();
        start();
        while (!m_nothingLeft || m_unreported)
            round();
        finishOutput();
        ::_exit(0);
    }

private:
    void prepare();
    void openOutput();
    void start();
    [[noreturn]] void becomeCommand(const std::vector<int>& streams, pid_t guard);
    void round();
    void reap();
    void readRequests();
    bool report(const GuardReport& what);
    void reportEnd();
    void reportOutput(int error);
    void killRest();
    void interrupt() const;
    void terminateRest();
    void finishOutput();

    const CommandLine& m_command;
    std::vector<char*> m_argv, m_environment;
    GuardPipes m_pipes;
    UniqueFd m_log, m_signals;
    std::vector<OutputCopy> m_output;
    std::vector<UniqueFd> m_streams; ///< the command's ends: one, or standard output and error
    bool m_terminal = false;         ///< the first of them is a pseudoterminal
    bool m_outputReported = false;
    pid_t m_pid = -1;
    std::optional<GuardReport> m_unreported; ///< the end of the command, until it is reported
    bool m_commandEnded = false, m_nothingLeft = false, m_abandoned = false, m_kills = false;
    std::int64_t m_killedNs = 0;
};

void Guard::prepare() {
    ::setsid(); // what a terminal sends to its programs is for the supervisor
    ::prctl(PR_SET_NAME, "rankscope-guard");
    if (::prctl(PR_SET_CHILD_SUBREAPER, 1) != 0)
        leaveWith(m_pipes, errno);
    closeOthers({m_pipes.reports.get(), m_pipes.requests.get(), m_pipes.failure.get(), m_log.get()});
    sigset_t all, child;
    sigfillset(&all);
    ::sigprocmask(SIG_SETMASK, &all, nullptr);
    ::signal(SIGCHLD, SIG_DFL);
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    m_signals = UniqueFd(::signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK));
    if (!m_signals)
        leaveWith(m_pipes, errno);
    ::fcntl(m_pipes.reports.get(), F_SETFL, O_NONBLOCK);
    ::fcntl(m_pipes.requests.get(), F_SETFL, O_NONBLOCK);
}

/// If standard output and error go to the same place, they share a stream, because two streams would change the order.
void Guard::openOutput() {
    if (!m_command.forwards) {
        m_streams.push_back(std::move(m_log));
        return;
    }
    const bool one = isSameFile(STDOUT_FILENO, STDERR_FILENO);
    for (const int fd : {STDOUT_FILENO, STDERR_FILENO}) {
        if (fd == STDERR_FILENO && one)
            continue;
        auto stream = makeStream(fd);
        if (!stream)
            leaveWith(m_pipes, errno);
        m_terminal = m_terminal || (fd == STDOUT_FILENO && ::isatty(fd) == 1);
        m_output.emplace_back(std::move(stream->guard), openForCopy(fd), m_log.get());
        m_output.back().followSize();
        m_streams.push_back(std::move(stream->child));
    }
}

void Guard::start() {
    openOutput();
    const pid_t guard = ::getpid();
    m_pid = ::fork();
    if (m_pid < 0)
        leaveWith(m_pipes, errno);
    if (m_pid == 0)
        becomeCommand({m_streams.front().get(), m_streams.back().get()}, guard);
    const auto stat = processStat(m_pid); // it exists until it is waited for
    report({m_pid, 0, stat ? stat->startTicks : 0});
    m_streams.clear();
    m_pipes.failure.reset();
    const UniqueFd nothing(::open("/dev/null", O_RDWR | O_CLOEXEC));
    for (const int fd : {0, 1, 2})
        ::dup2(nothing.get(), fd); // the caller may wait for the end of its pipe
}

void Guard::becomeCommand(const std::vector<int>& streams, pid_t guard) {
    if (::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0)
        leaveWith(m_pipes, errno);
    if (::getppid() != guard) // it was killed before the prctl() above
        ::_exit(127);
    ::setsid();
    if (m_terminal)
        ::ioctl(streams.front(), TIOCSCTTY, 0);
    resetSignals();
    // a program that reads from the terminal of another session would be stopped or get an error
    const UniqueFd nothing(m_command.forwards && ::isatty(STDIN_FILENO) != 1 ? -1 : ::open("/dev/null", O_RDONLY));
    if ((nothing && ::dup2(nothing.get(), 0) < 0) || ::dup2(streams.front(), 1) < 0 || ::dup2(streams.back(), 2) < 0)
        leaveWith(m_pipes, errno);
    ::close_range(3, ~0u, CLOSE_RANGE_CLOEXEC);
    ::execvpe(m_argv[0], m_argv.data(), m_environment.data());
    leaveWith(m_pipes, errno);
}

/// Returns false if the pipe is full, because the supervisor has been stopped for long: it misses the ends of some
/// orphans.
bool Guard::report(const GuardReport& what) {
    return ::write(m_pipes.reports.get(), &what, sizeof what) >= 0 || errno != EAGAIN;
}

/// Reports the end of the command, which the supervisor must not miss, as soon as the pipe has room.
void Guard::reportEnd() {
    if (m_unreported && report(*m_unreported))
        m_unreported.reset();
}

/// Reports the first error of the output's copies; 0: there is none.
void Guard::reportOutput(int error) {
    if (error != 0 && !std::exchange(m_outputReported, true))
        report({0, error, 0});
}

void Guard::reap() {
    signalfd_siginfo info{};
    while (::read(m_signals.get(), &info, sizeof info) > 0) {
    }
    for (;;) {
        int status = 0;
        const pid_t pid = ::waitpid(-1, &status, WNOHANG);
        if (pid < 0 && errno == ECHILD)
            m_nothingLeft = true;
        if (pid <= 0)
            return;
        if (pid == m_pid) {
            m_commandEnded = true;
            m_unreported = GuardReport{pid, status, 0};
            reportEnd();
        } else {
            report({pid, status, 0});
        }
    }
}

void Guard::readRequests() {
    char request = 0;
    ssize_t n;
    while ((n = ::read(m_pipes.requests.get(), &request, 1)) == 1) {
        if (request == kGuardInterrupts)
            interrupt();
        if (request == kGuardTerminates)
            terminateRest();
        m_kills = m_kills || request == kGuardKills;
    }
    if (n == 0) // the supervisor is gone
        m_abandoned = m_kills = true;
}

/// Does what Ctrl-C does in a terminal: the signal goes to all processes of the command's group.
void Guard::interrupt() const {
    if (!m_commandEnded) // afterwards, its number may come to mean another group
        ::kill(-m_pid, SIGINT);
}

/// Sends SIGTERM to the processes whose parents have ended. They end their own children.
void Guard::terminateRest() {
    for (const pid_t pid : descendantsOf(::getpid()))
        if (const auto stat = processStat(pid); stat && stat->parent == ::getpid() && pid != m_pid) {
            ::kill(pid, SIGTERM);
            ::kill(pid, SIGCONT); // a stopped process does not see it otherwise
        }
}

void Guard::killRest() {
    const std::int64_t now = monotonicNs();
    if (!m_kills || now - m_killedNs < kKillEveryNs)
        return;
    m_killedNs = now;
    for (const pid_t pid : descendantsOf(::getpid()))
        ::kill(pid, SIGKILL);
}

void Guard::round() {
    std::vector<pollfd> fds{{m_signals.get(), POLLIN, 0}};
    if (!m_abandoned)
        fds.push_back({m_pipes.requests.get(), POLLIN, 0});
    if (m_unreported)
        fds.push_back({m_pipes.reports.get(), POLLOUT, 0});
    for (const OutputCopy& output : m_output)
        output.addTo(fds);
    ::poll(fds.data(), fds.size(), m_kills ? static_cast<int>(kKillEveryNs / 1'000'000) : kIdleMs);
    readRequests();
    reportEnd();
    killRest();
    for (OutputCopy& output : m_output) {
        output.followSize();
        output.copy();
        reportOutput(output.error());
    }
    reap();
}

/// Copies what is still in the pipes. Does not wait for programs elsewhere that hold their other ends.
void Guard::finishOutput() {
    for (OutputCopy& output : m_output)
        output.finish();
    for (;;) {
        std::vector<pollfd> fds;
        for (OutputCopy& output : m_output) {
            output.copy();
            reportOutput(output.error());
            output.addTo(fds);
        }
        if (fds.empty() || m_kills)
            return;
        fds.push_back({m_pipes.requests.get(), POLLIN, 0});
        ::poll(fds.data(), fds.size(), kIdleMs);
        readRequests();
    }
}

} // namespace

void guardCommand(const CommandLine& command, const std::vector<std::string>& environment, GuardPipes pipes,
                  UniqueFd log) {
    Guard(command, environment, std::move(pipes), std::move(log)).run();
}

} // namespace rankscope::launch
