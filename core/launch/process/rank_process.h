// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>

namespace rankscope::launch {

/// How a process ended.
struct ProcessEnd {
    bool signalled = false;
    int code = 0;            ///< exit code, or the signal's number
    std::int64_t seenNs = 0; ///< monotonic; when the supervisor saw the end, which was earlier
    bool known = true;       ///< false: it is gone, but its exit status was collected elsewhere
};

/// The process of a rank: a child of the supervisor, or a process that another program started.
class RankProcess {
public:
    virtual ~RankProcess() = default;

    virtual pid_t pid() const = 0;
    /// Returns the start time in the kernel's clock ticks since boot; with the number, it identifies a process.
    virtual std::uint64_t startTicks() const = 0;
    /// Returns the end the first time it is seen, and never again.
    virtual std::optional<ProcessEnd> poll() = 0;
    /// Sends a signal; does nothing after the end.
    virtual void signal(int number) const = 0;
    /// Returns the signal that stopped it last (SIGSTOP, SIGTSTP, …); 0: none yet, or not known.
    virtual int stopSignal() = 0;
    /// Returns whether it was stopped and has continued since the last call; false if that cannot be known.
    virtual bool wasContinued() const = 0;
    /// Returns a descriptor that becomes readable when it ends; -1: none, or the end was seen.
    virtual int endDescriptor() const { return -1; }
};

} // namespace rankscope::launch
