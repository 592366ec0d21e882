// SPDX-License-Identifier: Apache-2.0
#include "core/launch/run/run_lock.h"

#include "core/base/files/guarded_folder.h"
#include "core/base/values/result.h"

#include <sys/file.h>
#include <unistd.h>

#include <cerrno>

namespace rankscope::launch {

static constexpr char kRecovery[] = "recovery\n"; ///< in the file while a recovery holds the lock, and after it

/// errno; 0: it is locked now. Some file systems have only the second kind of lock, which ends with its descriptor too.
static int tryToLock(int fd, bool alone) {
    if (::flock(fd, (alone ? LOCK_EX : LOCK_SH) | LOCK_NB) == 0)
        return 0;
    if (errno != ENOSYS && errno != EOPNOTSUPP && errno != ENOLCK)
        return errno;
    struct flock whole {};
    whole.l_type = alone ? F_WRLCK : F_RDLCK;
    whole.l_whence = SEEK_SET;
    if (::fcntl(fd, F_OFD_SETLK, &whole) == 0)
        return 0;
    return errno == EAGAIN || errno == EACCES ? EWOULDBLOCK : errno;
}

Result<RunLock> RunLock::take(const std::filesystem::path& lockFile) {
    RS_TRY_ASSIGN(auto file, openRunFile(lockFile, GuardedFolder::Run, O_RDWR | O_CREAT));
    const int refused = tryToLock(file.fd.get(), true);
    if (refused == 0)
        return RunLock(std::move(file.fd));
    if (refused == EWOULDBLOCK)
        return fail(Errc::Busy, "the run has a live supervisor", lockFile.parent_path().string());
    return tl::unexpected(systemError("lock", lockFile.string(), refused));
}

RunLock::Holder RunLock::holder(const std::filesystem::path& lockFile) {
    const auto file = openRunFile(lockFile);
    if (!file)
        return file.error().code == Errc::NotFound ? Holder::Nobody : Holder::Unknown;
    const int fd = file->fd.get();
    const int refused = tryToLock(fd, false);
    if (refused == 0)
        return Holder::Nobody;
    if (refused != EWOULDBLOCK)
        return Holder::Unknown;
    char first = 0;
    return ::pread(fd, &first, 1, 0) == 1 && first == kRecovery[0] ? Holder::Recovery : Holder::Supervisor;
}

void RunLock::markRecovery() const {
    // without room for it the run only seems to be live for a moment, seen from another machine
    [[maybe_unused]] const ssize_t n = ::pwrite(m_fd.get(), kRecovery, sizeof kRecovery - 1, 0);
}

} // namespace rankscope::launch
