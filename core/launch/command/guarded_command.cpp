// SPDX-License-Identifier: Apache-2.0
#include "core/launch/command/guarded_command.h"

#include "core/base/files/guarded_folder.h"
#include "core/base/process/process_identity.h"
#include "core/base/values/clock.h"
#include "core/base/values/result.h"
#include "core/launch/command/process_tree.h"
#include "core/launch/process/child_process.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <thread>
#include <utility>

namespace rankscope::launch {

using namespace std::chrono_literals;

static int waitedStatus(pid_t pid) {
    int status = 0;
    while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
}

Result<GuardedCommand> GuardedCommand::start(const CommandLine& command, std::string mark) {
    const std::string& program = command.argv.front();
    RS_TRY_ASSIGN(auto log, openRunFile(command.log, GuardedFolder::Run, O_WRONLY | O_CREAT | O_APPEND));
    RS_TRY_ASSIGN(auto reports, makePipe("make a pipe for", program));
    RS_TRY_ASSIGN(auto requests, makePipe("make a pipe for", program));
    RS_TRY_ASSIGN(auto failure, makePipe("make a pipe for", program));
    const auto environment = environmentWith(command.environment);
    ::prctl(PR_SET_CHILD_SUBREAPER, 1); // for the case that the guard is killed
    const pid_t guard = ::fork();
    if (guard < 0)
        return tl::unexpected(systemError("start a process", program, errno));
    if (guard == 0)
        guardCommand(command, environment,
                     {std::move(reports.writing), std::move(requests.reading), std::move(failure.writing)},
                     std::move(log.fd));
    for (UniqueFd* fd : {&reports.writing, &requests.reading, &failure.writing})
        fd->reset();
    GuardedCommand started(guard, std::move(mark));
    started.m_reports = std::move(reports.reading);
    started.m_requests = std::move(requests.writing);
    if (const int error = execFailure(failure.reading.get()); error != 0)
        return tl::unexpected(systemError("start the program", program, error));
    ::fcntl(started.m_reports.get(), F_SETFL, O_NONBLOCK);
    started.poll();
    if (started.m_pid < 0)
        return fail(Errc::Internal, "the process that guards it ended before it began", program);
    return started;
}

GuardedCommand::~GuardedCommand() {
    if (!m_reports) // moved from
        return;
    kill();
    m_requests.reset();
    while (!m_allEnded) {
        std::this_thread::sleep_for(5ms);
        poll();
    }
}

static ProcessEnd endOf(const GuardReport& report) {
    if (WIFSIGNALED(report.status))
        return {true, WTERMSIG(report.status), monotonicNs()};
    return {false, WEXITSTATUS(report.status), monotonicNs()};
}

void GuardedCommand::poll() {
    GuardReport report;
    ssize_t n = -1;
    while (!m_guardLost && (n = ::read(m_reports.get(), &report, sizeof report)) == sizeof report) {
        if (report.startTicks != 0) {
            m_pid = report.pid;
            m_startTicks = report.startTicks;
            if (auto program = ForeignProcess::find(m_pid, m_startTicks, {}))
                m_program.emplace(std::move(*program));
        } else if (report.pid == 0) {
            m_outputError = report.status;
        } else if (report.pid == m_pid) {
            m_end = launch::endOf(report);
        } else {
            m_ends[report.pid] = launch::endOf(report);
        }
    }
    if (m_guardLost)
        takeOver();
    if (n != 0 || m_allEnded)
        return;
    const int status = waitedStatus(m_guard);
    m_guardLost = !WIFEXITED(status) || WEXITSTATUS(status) != 0;
    m_allEnded = !m_guardLost;
}

/// Called if the guard was killed; the kernel has then killed the program as well. This process is now the parent of
/// what the program started, and ends it.
void GuardedCommand::takeOver() {
    const bool started = m_pid > 0;
    if (int status = 0; started && !m_end && ::waitpid(m_pid, &status, WNOHANG) == m_pid)
        m_end = launch::endOf(GuardReport{m_pid, status, 0});
    std::vector<pid_t> rest = m_mark.empty() ? std::vector<pid_t>() : processesWith(m_mark);
    std::erase_if(rest, [](pid_t pid) {
        const auto stat = processStat(pid);
        return !stat || stat->state == 'Z';
    });
    for (const pid_t pid : rest)
        ::kill(pid, SIGKILL);
    m_allEnded = (m_end || !started) && rest.empty();
}

std::optional<ProcessEnd> GuardedCommand::endOf(pid_t pid) const {
    if (pid == m_pid)
        return m_end;
    const auto found = m_ends.find(pid);
    return found == m_ends.end() ? std::nullopt : std::optional(found->second);
}

void GuardedCommand::signal(int number) const {
    if (m_program && !m_end)
        m_program->signal(number);
}

void GuardedCommand::request(char what) const {
    [[maybe_unused]] const ssize_t n = ::write(m_requests.get(), &what, 1);
}

void GuardedCommand::interrupt() const {
    request(kGuardInterrupts);
}

void GuardedCommand::terminateRest() {
    request(kGuardTerminates);
}

void GuardedCommand::kill() {
    if (!std::exchange(m_kills, true))
        request(kGuardKills);
}

} // namespace rankscope::launch
