// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/files/unique_fd.h"
#include "core/base/values/error.h"
#include "core/launch/process/rank_process.h"

#include <functional>

namespace rankscope::launch {

/// A process that another program started. It is identified by its number and start time, so that its signals never
/// reach another process with the same number. It is left alone when this object is destroyed.
class ForeignProcess final : public RankProcess {
public:
    /// Returns how a process ended, if someone collected its exit status.
    using CollectedEnds = std::function<std::optional<ProcessEnd>(pid_t)>;

    /// Returns NotFound if there is no such process in this PID namespace, and Permission if it belongs to another
    /// user. `collected` is asked once the process has ended; it may be empty.
    static Result<ForeignProcess> find(pid_t pid, std::uint64_t startTicks, CollectedEnds collected);

    pid_t pid() const override { return m_pid; }
    std::uint64_t startTicks() const override { return m_startTicks; }
    /// An exit status that only its parent could see is not known (ProcessEnd::known).
    std::optional<ProcessEnd> poll() override;
    void signal(int number) const override;
    int stopSignal() override { return 0; }
    bool wasContinued() const override { return false; }
    bool ended() const { return m_ended; }
    int endDescriptor() const override { return m_goneSinceNs == 0 ? m_pidfd.get() : -1; }

private:
    ForeignProcess(pid_t pid, std::uint64_t startTicks, UniqueFd pidfd, CollectedEnds collected);
    bool isGone() const;
    std::optional<ProcessEnd> knownEnd() const;

    pid_t m_pid;
    std::uint64_t m_startTicks;
    UniqueFd m_pidfd; ///< none: the kernel is older than 5.3
    CollectedEnds m_collected;
    std::int64_t m_goneSinceNs = 0; ///< 0: it runs
    bool m_ended = false;
};

} // namespace rankscope::launch
