// SPDX-License-Identifier: Apache-2.0
// RUN/lock: who holds it is the run's one writer. The kernel lets go of it when the holder dies, however it dies.
#pragma once

#include "core/base/file.h"
#include "core/launch/run_folder.h"

namespace rankscope::launch {

class RunLock {
public:
    /// Busy when another process has it.
    static Result<RunLock> take(const std::filesystem::path& lockFile);
    /// Whether a process has it now.
    static bool heldByOther(const RunPaths& run);

private:
    explicit RunLock(UniqueFd fd) : m_fd(std::move(fd)) {}
    UniqueFd m_fd;
};

} // namespace rankscope::launch
