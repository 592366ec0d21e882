// SPDX-License-Identifier: Apache-2.0
#include "core/launch/run_lock.h"

#include "core/base/guarded_folder.h"

#include <sys/file.h>

#include <cerrno>

namespace rankscope::launch {

Result<RunLock> RunLock::take(const std::filesystem::path& lockFile) {
    auto file = openRunFile(lockFile, GuardedFolder::Run, O_RDWR | O_CREAT);
    if (!file)
        return tl::unexpected(file.error());
    if (::flock(file->fd.get(), LOCK_EX | LOCK_NB) == 0)
        return RunLock(std::move(file->fd));
    if (errno == EWOULDBLOCK)
        return fail(Errc::Busy, "the run has a live supervisor", lockFile.parent_path().string());
    return tl::unexpected(systemError("lock", lockFile.string(), errno));
}

bool RunLock::heldByOther(const RunPaths& run) {
    const auto file = openRunFile(run.lock());
    return file && ::flock(file->fd.get(), LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

} // namespace rankscope::launch
