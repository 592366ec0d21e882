// SPDX-License-Identifier: Apache-2.0
#include "core/launch/run_lock.h"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>

namespace rankscope::launch {

Result<RunLock> RunLock::take(const std::filesystem::path& lockFile) {
    UniqueFd fd(::open(lockFile.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    if (!fd)
        return tl::unexpected(systemError("open", lockFile.string(), errno));
    if (::flock(fd.get(), LOCK_EX | LOCK_NB) == 0)
        return RunLock(std::move(fd));
    if (errno == EWOULDBLOCK)
        return fail(Errc::Busy, "the run has a live supervisor", lockFile.parent_path().string());
    return tl::unexpected(systemError("lock", lockFile.string(), errno));
}

bool RunLock::heldByOther(const RunPaths& run) {
    UniqueFd fd(::open(run.lock().c_str(), O_RDONLY | O_CLOEXEC));
    return fd && ::flock(fd.get(), LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

} // namespace rankscope::launch
