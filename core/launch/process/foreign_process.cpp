// SPDX-License-Identifier: Apache-2.0
#include "core/launch/process/foreign_process.h"

#include "core/base/process/process_identity.h"
#include "core/base/values/clock.h"
#include "core/base/values/result.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <utility>

namespace rankscope::launch {

/// How long an exit status may take to arrive after the process is gone.
static constexpr std::int64_t kStatusNs = 500'000'000;

namespace {

/// What PIDFD_GET_INFO of Linux 6.15 fills; its headers are newer than those of the systems that we build on.
struct PidfdInfo {
    static constexpr std::uint64_t kExit = 1u << 3;
    std::uint64_t mask = kExit;
    std::uint64_t controlGroup = 0;
    std::array<std::uint32_t, 11> numbers{}; ///< of the process and its users
    std::int32_t exitStatus = 0;
};
static_assert(sizeof(PidfdInfo) == 64);

} // namespace

static ProcessEnd endOfStatus(int status) {
    if (WIFSIGNALED(status))
        return {true, WTERMSIG(status), monotonicNs()};
    return {false, WEXITSTATUS(status), monotonicNs()};
}

ForeignProcess::ForeignProcess(pid_t pid, std::uint64_t startTicks, UniqueFd pidfd, CollectedEnds collected)
    : m_pid(pid), m_startTicks(startTicks), m_pidfd(std::move(pidfd)), m_collected(std::move(collected)) {}

Result<ForeignProcess> ForeignProcess::find(pid_t pid, std::uint64_t startTicks, CollectedEnds collected) {
    // opened before the start time is compared: from here on the number cannot come to mean another process
    UniqueFd pidfd(pid > 0 ? static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)) : -1);
    const auto stat = processStat(pid); // it may be a zombie, whose exit status can still be read
    if (!stat || startTicks == 0 || stat->startTicks != startTicks)
        return fail(Errc::NotFound, "there is no such process", fmt::format("process {}", pid));
    struct ::stat owner {};
    if (::stat(fmt::format("/proc/{}", pid).c_str(), &owner) != 0 || owner.st_uid != ::geteuid())
        return fail(Errc::Permission, "belongs to another user", fmt::format("process {}", pid));
    return ForeignProcess(pid, startTicks, std::move(pidfd), std::move(collected));
}

bool ForeignProcess::isGone() const {
    if (!m_pidfd)
        return !isSameProcess(m_pid, m_startTicks);
    pollfd fd{m_pidfd.get(), POLLIN, 0};
    return ::poll(&fd, 1, 0) > 0;
}

/// Returns how the process ended: from the program that collected its status, from the kernel, or from a zombie whose
/// parent has not collected it yet.
std::optional<ProcessEnd> ForeignProcess::knownEnd() const {
    if (m_collected)
        if (const auto end = m_collected(m_pid))
            return end;
    static constexpr unsigned long kGetInfo = _IOWR(0xFF, 11, PidfdInfo);
    PidfdInfo info;
    if (m_pidfd && ::ioctl(m_pidfd.get(), kGetInfo, &info) == 0 && (info.mask & PidfdInfo::kExit) != 0)
        return endOfStatus(info.exitStatus);
    if (const auto stat = processStat(m_pid); stat && stat->startTicks == m_startTicks && stat->exitStatus >= 0)
        return endOfStatus(stat->exitStatus);
    return std::nullopt;
}

std::optional<ProcessEnd> ForeignProcess::poll() {
    if (m_ended || !isGone())
        return std::nullopt;
    const std::int64_t now = monotonicNs();
    if (m_goneSinceNs == 0)
        m_goneSinceNs = now;
    const auto end = knownEnd();
    if (!end && now - m_goneSinceNs < kStatusNs)
        return std::nullopt;
    m_ended = true;
    ProcessEnd seen = end.value_or(ProcessEnd{false, 0, 0, false});
    seen.seenNs = m_goneSinceNs;
    return seen;
}

void ForeignProcess::signal(int number) const {
    if (m_ended)
        return;
    if (m_pidfd)
        ::syscall(SYS_pidfd_send_signal, m_pidfd.get(), number, nullptr, 0);
    else if (isSameProcess(m_pid, m_startTicks))
        ::kill(m_pid, number);
}

} // namespace rankscope::launch
