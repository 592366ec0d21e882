// SPDX-License-Identifier: Apache-2.0
#include "core/launch/process/helper_process.h"

#include "core/base/values/result.h"
#include "core/launch/process/child_process.h"
#include "core/launch/process/stop_signals.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/close_range.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>

extern char** environ;

namespace rankscope::launch {

/// Returns a file without a name, so that writing never waits for the reader.
static Result<UniqueFd> fileOf(const std::string& text, const std::string& where) {
    UniqueFd fd(::memfd_create("rankscope-input", MFD_CLOEXEC));
    if (!fd)
        return tl::unexpected(systemError("prepare the input of", where, errno));
    for (std::size_t done = 0; done < text.size();) {
        const ssize_t n = ::write(fd.get(), text.data() + done, text.size() - done);
        if (n < 0 && errno != EINTR)
            return tl::unexpected(systemError("prepare the input of", where, errno));
        done += n > 0 ? static_cast<std::size_t>(n) : 0;
    }
    ::lseek(fd.get(), 0, SEEK_SET);
    return fd;
}

namespace {

/// Made before the fork: after it nothing may be allocated.
struct HelperStart {
    std::vector<char*> argv;
    int in = -1, out = -1, errors = -1;
    int failure = -1; ///< closed by a successful exec; else carries errno
    pid_t supervisor = 0;
};

} // namespace

/// In the helper: async-signal-safe calls only.
[[noreturn]] static void becomeHelper(const HelperStart& start) {
    resetSignals();
    if (::dup2(start.in, 0) < 0 || ::dup2(start.out, 1) < 0 || ::dup2(start.errors, 2) < 0)
        failExec(start.failure);
    // the helper does not inherit what a library of the supervisor left open
    ::close_range(3, ~0u, CLOSE_RANGE_CLOEXEC);
    ::execvpe(start.argv[0], start.argv.data(), environ);
    failExec(start.failure);
}

/// Ends in the same way as the helper.
[[noreturn]] static void leaveAs(int status) {
    if (WIFEXITED(status))
        ::_exit(WEXITSTATUS(status));
    const int number = WTERMSIG(status);
    ::prctl(PR_SET_DUMPABLE, 0); // one core file is enough
    ::signal(number, SIG_DFL);
    sigset_t only;
    sigemptyset(&only);
    sigaddset(&only, number);
    ::sigprocmask(SIG_UNBLOCK, &only, nullptr);
    ::kill(::getpid(), number);
    ::_exit(128 + number);
}

/// A supervisor that was killed cannot enforce a time limit. So each helper has a parent process that waits for both,
/// and kills the whole session when the supervisor is gone: the kernel's own signal for that (PR_SET_PDEATHSIG) does
/// not reach grandchildren, and is lost if a program has other rights than its caller. All signals are blocked here.
[[noreturn]] static void guardHelper(const HelperStart& start) {
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (::getppid() != start.supervisor) // it died before the prctl() above
        ::_exit(127);
    ::setsid();
    ::prctl(PR_SET_NAME, "rankscope-guard");
    ::signal(SIGCHLD, SIG_DFL);
    const pid_t helper = ::fork();
    if (helper == 0)
        becomeHelper(start);
    if (helper < 0)
        failExec(start.failure);
    ::close_range(0, ~0u, 0); // only the helper holds the ends of the pipes
    sigset_t heard;
    sigemptyset(&heard);
    sigaddset(&heard, SIGCHLD);
    sigaddset(&heard, SIGTERM);
    for (;;) {
        int status = 0;
        if (const pid_t seen = ::waitpid(helper, &status, WNOHANG); seen == helper)
            leaveAs(status);
        else if (seen < 0)
            ::_exit(127);
        ::sigwaitinfo(&heard, nullptr);
        if (::getppid() != start.supervisor)
            ::kill(0, SIGKILL);
    }
}

/// Forks with all signals blocked from before the fork on.
static pid_t forkGuard(const HelperStart& start) {
    sigset_t all, before;
    sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);
    const pid_t pid = ::fork();
    if (pid == 0)
        guardHelper(start);
    const int e = errno;
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    errno = e;
    return pid;
}

Result<HelperProcess> HelperProcess::start(const HelperCommand& command, std::int64_t nowNs) {
    if (command.argv.empty())
        return fail(Errc::BadInput, "there is no program to start");
    const std::string& program = command.argv.front();
    RS_TRY_ASSIGN(const auto input, fileOf(command.input, program));
    RS_TRY_ASSIGN(auto out, makePipe("make a pipe for", program));
    RS_TRY_ASSIGN(auto errors, makePipe("make a pipe for", program));
    RS_TRY_ASSIGN(auto failure, makePipe("make a pipe for", program));
    for (const auto* pipe : {&out, &errors})
        ::fcntl(pipe->reading.get(), F_SETFL, O_NONBLOCK);
    HelperStart start{execPointers(command.argv), input.get(),           out.writing.get(),
                      errors.writing.get(),       failure.writing.get(), ::getpid()};
    const pid_t pid = forkGuard(start);
    if (pid < 0)
        return tl::unexpected(systemError("start the program", program, errno));
    failure.writing.reset();
    if (const int e = execFailure(failure.reading.get()); e != 0) {
        while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) { // it exits immediately
        }
        return tl::unexpected(systemError("start the program", program, e));
    }
    HelperProcess helper;
    helper.m_pid = pid;
    helper.m_out = std::move(out.reading);
    helper.m_errors = std::move(errors.reading);
    helper.m_killAtNs = nowNs + static_cast<std::int64_t>(command.seconds * 1e9);
    helper.m_mostOutput = command.mostOutput;
    return helper;
}

HelperProcess::HelperProcess(HelperProcess&& other) noexcept
    : m_pid(std::exchange(other.m_pid, -1)), m_out(std::move(other.m_out)), m_errors(std::move(other.m_errors)),
      m_killAtNs(other.m_killAtNs), m_mostOutput(other.m_mostOutput), m_end(std::move(other.m_end)) {}

HelperProcess::~HelperProcess() {
    if (m_pid <= 0)
        return;
    kill();
    ::waitpid(m_pid, nullptr, WNOHANG); // init reaps it if it is not gone yet
}

void HelperProcess::kill() const {
    ::kill(-m_pid, SIGKILL); // the session's leader leads a process group too
    ::kill(m_pid, SIGKILL);
}

/// Reads all available output; anything beyond the limit is dropped, so that the program never waits for its reader.
void HelperProcess::read(UniqueFd& fd, std::string& text) {
    char buffer[16 << 10];
    for (int pieces = 0; fd && pieces < 64; ++pieces) {
        const ssize_t n = ::read(fd.get(), buffer, sizeof buffer);
        if (n < 0 && errno == EINTR)
            continue;
        if (n == 0 || (n < 0 && errno != EAGAIN))
            fd.reset();
        if (n <= 0)
            return;
        const auto fits = std::min(static_cast<std::size_t>(n), m_mostOutput - std::min(m_mostOutput, text.size()));
        text.append(buffer, fits);
        m_end.cut |= fits < static_cast<std::size_t>(n);
    }
}

std::optional<HelperProcess::HelperEnd> HelperProcess::poll(std::int64_t nowNs) {
    if (m_pid <= 0)
        return std::nullopt;
    int status = 0;
    const pid_t seen = ::waitpid(m_pid, &status, WNOHANG);
    read(m_out, m_end.out); // after checking whether it ended, so that its last output is included
    read(m_errors, m_end.errors);
    if (seen == m_pid) {
        m_pid = -1;
        m_end.signalled = WIFSIGNALED(status);
        m_end.code = m_end.signalled ? WTERMSIG(status) : WEXITSTATUS(status);
        return std::move(m_end);
    }
    if (seen < 0 && errno == ECHILD) { // its exit status was collected elsewhere
        m_pid = -1;
        m_end.code = -1;
        return std::move(m_end);
    }
    if (nowNs >= m_killAtNs) {
        m_end.timedOut = true;
        kill();
    }
    return std::nullopt;
}

std::string HelperProcess::HelperEnd::problem() const {
    std::string said = errors.substr(0, errors.find_last_not_of(" \n\r\t") + 1);
    said = said.substr(said.rfind('\n') + 1); // npos + 1 is the beginning
    for (char& c : said)
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
            c = ' ';
    if (said.size() > 300)
        said = said.substr(0, 300) + "...";
    const std::string why = said.empty() ? "" : ": " + said;
    if (timedOut)
        return "took too long and was ended" + why;
    if (signalled)
        return fmt::format("ended with signal {} ({}){}", code, ::strsignal(code), why);
    return code == 0 ? "" : fmt::format("ended with exit code {}{}", code, why);
}

} // namespace rankscope::launch
