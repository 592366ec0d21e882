// SPDX-License-Identifier: Apache-2.0
#include "core/launch/run/run_lock.h"

#include "core/base/files/guarded_folder.h"
#include "core/base/process/process_identity.h"
#include "core/base/values/result.h"

#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cinttypes>
#include <cstdio>

namespace rankscope::launch {

static constexpr char kRecovery[] = "recovery\n"; ///< in the file while a recovery holds the lock, and after it

/// Returns errno, or 0 if it is locked now. Some file systems have only the second kind of lock, which also ends with
/// its descriptor.
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

RunLock::LockHolder RunLock::holder(const std::filesystem::path& lockFile) {
    const auto file = openRunFile(lockFile);
    if (!file)
        return file.error().code == Errc::NotFound ? LockHolder::Absent : LockHolder::Unknown;
    const int fd = file->fd.get();
    const int refused = tryToLock(fd, false);
    if (refused == 0)
        return LockHolder::Nobody;
    if (refused != EWOULDBLOCK)
        return LockHolder::Unknown;
    char first = 0;
    return ::pread(fd, &first, 1, 0) == 1 && first == kRecovery[0] ? LockHolder::Recovery : LockHolder::Supervisor;
}

std::optional<RunLock::LockingProcess> RunLock::supervisor(const std::filesystem::path& lockFile) {
    const auto file = openRunFile(lockFile);
    if (!file || tryToLock(file->fd.get(), false) != EWOULDBLOCK)
        return std::nullopt;
    char text[128] = {};
    LockingProcess found;
    struct stat lock {
    }, process{};
    const bool named = ::pread(file->fd.get(), text, sizeof text - 1, 0) > 0 &&
                       std::sscanf(text, "supervisor %d %" SCNu64, &found.pid, &found.startTicks) == 2 &&
                       isSameProcess(found.pid, found.startTicks) && ::fstat(file->fd.get(), &lock) == 0 &&
                       ::stat(fmt::format("/proc/{}", found.pid).c_str(), &process) == 0 &&
                       lock.st_uid == process.st_uid;
    return named ? std::optional(found) : std::nullopt;
}

void RunLock::write(std::string_view text) const {
    // harmless if there is no room for it: seen from another machine, the run only appears live for a moment
    if (::pwrite(m_fd.get(), text.data(), text.size(), 0) == static_cast<ssize_t>(text.size())) [[maybe_unused]]
        const int cut = ::ftruncate(m_fd.get(), static_cast<off_t>(text.size()));
}

void RunLock::markSupervisor() const {
    if (const auto self = processStat(::getpid()))
        write(fmt::format("supervisor {} {}\n", ::getpid(), self->startTicks));
}

void RunLock::markRecovery() const {
    write(kRecovery);
}

} // namespace rankscope::launch
