// SPDX-License-Identifier: Apache-2.0
// RUN/lock: the process that holds it is the run's only writer. The kernel releases it when the holder dies, however it
// dies. No process holds the lock of a copied folder, whatever was copied.
#pragma once

#include "core/base/files/file.h"
#include "core/base/values/error.h"

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

namespace rankscope::launch {

/// A lock that this process holds as long as the object lives.
class RunLock {
public:
    /// Who holds a lock.
    enum class LockHolder {
        Nobody,
        Absent, ///< there is no such file
        Supervisor,
        Recovery, ///< a process is completing a run whose supervisor is gone
        Unknown,  ///< the file cannot be opened, or its file system has no locks
    };
    /// Takes the lock. Returns Busy if another process holds it.
    static Result<RunLock> take(const std::filesystem::path& lockFile);
    /// Returns who holds the lock now. The caller's own lock is treated like any other.
    static LockHolder holder(const std::filesystem::path& lockFile);

    /// A process, identified by its number and start time.
    struct LockingProcess {
        pid_t pid = 0;
        std::uint64_t startTicks = 0;
    };
    /// Returns the live supervisor that holds the lock; it belongs to the user who owns the file. None: no process or
    /// an older version holds it, or the process cannot be seen from here.
    static std::optional<LockingProcess> supervisor(const std::filesystem::path& lockFile);

    /// Records in the file that this process is the supervisor.
    void markSupervisor() const;
    /// Records in the file that this holder is not a supervisor.
    void markRecovery() const;

private:
    explicit RunLock(UniqueFd fd) : m_fd(std::move(fd)) {}
    void write(std::string_view text) const;
    UniqueFd m_fd;
};

} // namespace rankscope::launch
