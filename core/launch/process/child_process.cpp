// SPDX-License-Identifier: Apache-2.0
#include "core/launch/process/child_process.h"

#include "core/base/files/guarded_folder.h"
#include "core/base/process/process_identity.h"
#include "core/base/values/clock.h"
#include "core/base/values/result.h"
#include "core/launch/process/stop_signals.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/close_range.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>

extern char** environ;

namespace rankscope::launch {

/// Everything that the child needs between fork and exec. It is made before the fork, because the child must not
/// allocate.
struct Prepared {
    std::vector<std::string> environment;
    std::vector<char*> argv, envp;
    int log = -1;
    pid_t parent = 0;
    int errors = -1; ///< closed by a successful exec; else carries errno
};

static bool isNamedBy(std::string_view key, std::string_view pattern) {
    return pattern.ends_with('*') ? key.starts_with(pattern.substr(0, pattern.size() - 1)) : key == pattern;
}

std::vector<std::string> environmentWith(const std::vector<std::pair<std::string, std::string>>& added,
                                         const std::vector<std::string>& withheld) {
    std::vector<std::string> all;
    for (char** e = environ; *e; ++e) {
        const std::string_view entry(*e);
        const std::string_view key = entry.substr(0, entry.find('='));
        if (std::none_of(added.begin(), added.end(), [&](const auto& a) { return a.first == key; }) &&
            std::none_of(withheld.begin(), withheld.end(), [&](const auto& name) { return isNamedBy(key, name); }))
            all.emplace_back(entry);
    }
    for (const auto& [key, value] : added)
        all.push_back(fmt::format("{}={}", key, value));
    return all;
}

Result<Pipe> makePipe(Message make, const std::string& where) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0)
        return tl::unexpected(systemError(std::move(make), where, errno));
    return Pipe{UniqueFd(ends[0]), UniqueFd(ends[1])};
}

void failExec(int fd) {
    const int e = errno;
    [[maybe_unused]] const ssize_t n = ::write(fd, &e, sizeof e);
    ::_exit(127);
}

int execFailure(int fd) {
    int failure = 0;
    ssize_t n;
    do
        n = ::read(fd, &failure, sizeof failure);
    while (n < 0 && errno == EINTR);
    return n == static_cast<ssize_t>(sizeof failure) ? failure : 0;
}

/// In the child: async-signal-safe calls only.
[[noreturn]] static void become(const Prepared& p) {
    if (::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0)
        failExec(p.errors);
    if (::getppid() != p.parent) // the supervisor died before the prctl() above
        ::_exit(127);
    // if Yama limits ptrace, this lets programs that the supervisor starts look into the rank
    ::prctl(PR_SET_PTRACER, p.parent);
    ::setpgid(0, 0);
    resetSignals();
    // exceeding a file size limit becomes an error of write(), like a full disk; and the supervisor handles a batch
    // system's warning, which may be sent to all processes of a job
    for (const int s : {SIGXFSZ, SIGUSR1, SIGUSR2, SIGALRM})
        ::signal(s, SIG_IGN);
    const int in = ::open("/dev/null", O_RDONLY);
    if (in < 0 || ::dup2(in, 0) < 0 || ::dup2(p.log, 1) < 0 || ::dup2(p.log, 2) < 0)
        failExec(p.errors);
    ::close_range(3, ~0u, CLOSE_RANGE_CLOEXEC); // the child does not inherit what a library of the supervisor left open
    ::execve(p.argv[0], p.argv.data(), p.envp.data());
    failExec(p.errors);
}

std::vector<char*> execPointers(const std::vector<std::string>& strings) {
    std::vector<char*> all;
    for (const auto& s : strings)
        all.push_back(const_cast<char*>(s.c_str())); // execve takes char* but does not write
    all.push_back(nullptr);
    return all;
}

Result<ChildProcess> ChildProcess::start(const ChildCommand& command) {
    RS_TRY_ASSIGN(const auto log, openRunFile(command.log, GuardedFolder::Rank, O_WRONLY | O_CREAT | O_APPEND));
    RS_TRY_ASSIGN(auto errors, makePipe("make a pipe", command.argv.front()));
    Prepared p{environmentWith(command.environment, command.withheld),
               execPointers(command.argv),
               {},
               log.fd.get(),
               ::getpid(),
               errors.writing.get()};
    p.envp = execPointers(p.environment);
    const pid_t pid = ::fork();
    if (pid < 0)
        return tl::unexpected(systemError("start a process", command.argv.front(), errno));
    if (pid == 0)
        become(p);
    ::setpgid(pid, pid); // in parent and child: it must be done whichever runs first
    errors.writing.reset();
    const int failure = execFailure(errors.reading.get());
    const auto stat = processStat(pid); // it exists until it is waited for
    ChildProcess child(pid, stat ? stat->startTicks : 0);
    if (failure != 0)
        return tl::unexpected(systemError("start the program", command.argv.front(), failure));
    return child;
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : m_pid(std::exchange(other.m_pid, -1)), m_startTicks(other.m_startTicks), m_ended(other.m_ended) {}

ChildProcess::~ChildProcess() {
    if (m_pid <= 0 || m_ended)
        return;
    ::kill(-m_pid, SIGKILL);
    ::kill(m_pid, SIGKILL);
    while (::waitpid(m_pid, nullptr, 0) < 0 && errno == EINTR) {
    }
}

std::optional<ProcessEnd> ChildProcess::poll() {
    if (m_pid <= 0 || m_ended)
        return std::nullopt;
    siginfo_t info{};
    if (::waitid(P_PID, static_cast<id_t>(m_pid), &info, WEXITED | WNOHANG | WNOWAIT) != 0) {
        if (errno != ECHILD)
            return std::nullopt;
        m_ended = true; // its exit status was collected elsewhere; its number may be in use again by now
        return ProcessEnd{false, 0, monotonicNs(), false};
    }
    if (info.si_pid == 0)
        return std::nullopt;
    ::kill(-m_pid, SIGKILL); // while the zombie keeps the group's number from being used again
    ::waitid(P_PID, static_cast<id_t>(m_pid), &info, WEXITED);
    m_ended = true;
    return ProcessEnd{info.si_code != CLD_EXITED, info.si_status, monotonicNs()};
}

int ChildProcess::stopSignal() {
    siginfo_t info{};
    if (m_pid > 0 && !m_ended && ::waitid(P_PID, static_cast<id_t>(m_pid), &info, WSTOPPED | WNOHANG) == 0 &&
        info.si_pid != 0)
        m_stopSignal = info.si_status;
    return m_stopSignal;
}

bool ChildProcess::wasContinued() const {
    siginfo_t info{};
    return m_pid > 0 && !m_ended && ::waitid(P_PID, static_cast<id_t>(m_pid), &info, WCONTINUED | WNOHANG) == 0 &&
           info.si_pid != 0;
}

void ChildProcess::signal(int number) const {
    if (m_pid > 0 && !m_ended)
        ::kill(-m_pid, number);
}

} // namespace rankscope::launch
