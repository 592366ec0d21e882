// SPDX-License-Identifier: Apache-2.0
// RUN/lock: who holds it is the run's one writer. The kernel lets go of it when the holder dies, however it dies.
// Nobody holds the lock of a copy, whatever was copied.
#pragma once

#include "core/base/files/file.h"
#include "core/base/values/error.h"

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

namespace rankscope::launch {

class RunLock {
public:
    enum class Holder {
        Nobody,
        Absent, ///< there is no such file
        Supervisor,
        Recovery, ///< somebody brings a run up to date whose supervisor is gone
        Unknown,  ///< the file may not be opened, or its file system has no locks
    };
    /// Busy when another process has it.
    static Result<RunLock> take(const std::filesystem::path& lockFile);
    /// Who has it now. The caller's own lock is one like any other's.
    static Holder holder(const std::filesystem::path& lockFile);

    /// A process by its number and start time.
    struct Process {
        pid_t pid = 0;
        std::uint64_t startTicks = 0;
    };
    /// The live supervisor that holds the lock; it belongs to the user who owns the file. None: nobody holds it, or an
    /// older version, or the process cannot be seen from here.
    static std::optional<Process> supervisor(const std::filesystem::path& lockFile);

    /// Says in the file that this process is the supervisor.
    void markSupervisor() const;
    /// Says in the file that this holder is no supervisor.
    void markRecovery() const;

private:
    explicit RunLock(UniqueFd fd) : m_fd(std::move(fd)) {}
    void write(std::string_view text) const;
    UniqueFd m_fd;
};

} // namespace rankscope::launch
