// SPDX-License-Identifier: Apache-2.0
#include "core/store/write/writable_store.h"

#include "core/base/values/clock.h"
#include "core/store/open/store_health.h"
#include "core/store/tables/meta_table.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

namespace rankscope::store {

namespace fs = std::filesystem;

static constexpr std::int64_t kPaceLookNs = 1'000'000'000;
static constexpr std::int64_t kBusyRows = 50'000;         ///< between two checks
static constexpr int kLogPages = 1000, kBusyPages = 4000; ///< 8 and 32 MB

WritableStore::~WritableStore() {
    if (m_claimed && setMeta(m_db, "writer_pid", std::int64_t{0}))
        // closing does not do this while a reader has the store open
        (void)m_db.execute("PRAGMA wal_checkpoint(TRUNCATE)");
    else
        // if SQLite removed a killed writer's log on close, the log would look as if it had been lost
        m_db.keepLogOnClose();
}

void WritableStore::saveFileIdentity() {
    const fs::path parent = m_file.parent_path();
    struct stat st {};
    m_folder = UniqueFd(::open(parent.empty() ? "." : parent.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (m_folder && ::fstatat(m_folder.get(), m_file.filename().c_str(), &st, 0) == 0) {
        m_device = st.st_dev;
        m_inode = st.st_ino;
    }
}

void WritableStore::removeCompanions() const {
    for (const char* companion : {"-wal", "-shm", "-journal"})
        ::unlink((m_file.string() + companion).c_str());
}

/// Creates the file before SQLite does: SQLite would derive its mode from the umask, and its companions' modes from it.
Result<void> WritableStore::open(bool create) {
    RS_TRY(checkForWriting(m_file));
    if (create) {
        const UniqueFd fd(::open(m_file.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
        if (!fd && errno != EEXIST)
            return tl::unexpected(systemError("create", m_file.string(), errno));
        if (fd)
            removeCompanions();
    }
    std::error_code ec;
    if (!fs::exists(m_file, ec))
        return fail(Errc::NotFound, "there is no store", m_file.string());
    RS_TRY_ASSIGN(m_db, Database::open(m_file, OpenMode::ReadWrite));
    saveFileIdentity();
    // NORMAL: a commit has reached the kernel, so kill -9 cannot lose it. A power cut may take the newest commits,
    // never the consistency; the ranks' journals and the ranks themselves go with it, so a sync per commit would gain
    // nothing and make the supervisor wait for a disk that is busy with a checkpoint.
    return m_db.execute("PRAGMA page_size=8192; PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; "
                        "PRAGMA journal_size_limit=67108864; PRAGMA cache_size=-16384; PRAGMA temp_store=MEMORY");
}

/// The store itself names its writer by pid and start time, so that no cleanup is needed after one was killed.
Result<void> WritableStore::claim() {
    RS_TRY_ASSIGN(const auto pid, liveWriter(m_db, m_inode));
    if (pid > 0 && pid != ::getpid())
        return fail(Errc::Busy, {"process {} is writing to it", pid}, m_file.string());
    return setWriter(m_db, m_inode);
}

/// The cache helps runs that write much. Other runs would fill it over hours, which looks like a leak and gains
/// nothing. While much is written, pages change again and again, so the log is checkpointed less often.
void WritableStore::keepPace() {
    const std::int64_t nowNs = monotonicNs(), rowsNow = sqlite3_total_changes64(m_db.handle());
    if (nowNs - m_paceLookNs < kPaceLookNs)
        return;
    const bool busy = rowsNow - m_paceLookRows >= kBusyRows;
    if (!busy)
        sqlite3_db_release_memory(m_db.handle());
    sqlite3_wal_autocheckpoint(m_db.handle(), busy ? kBusyPages : kLogPages);
    m_paceLookNs = nowNs;
    m_paceLookRows = rowsNow;
}

Result<void> WritableStore::checkInPlace() const {
    struct stat now {};
    const bool there = ::fstatat(m_folder.get(), m_file.filename().c_str(), &now, 0) == 0;
    // a disk that does not respond is not a reason to give up the file
    if (m_inode == 0 || (there ? now.st_dev == m_device && now.st_ino == m_inode : errno != ENOENT))
        return {};
    return fail(Errc::NotFound,
                there ? Message("was replaced by another file during the run") : Message("was removed during the run"),
                m_file.string());
}

Result<void> WritableStore::writeCopy() {
    const std::string file = m_file.string();
    std::string aside = (m_file.parent_path() / fmt::format(".{}.XXXXXX.part", m_file.filename().string())).string();
    if (const UniqueFd fd(::mkostemps(aside.data(), 5, O_CLOEXEC)); !fd) // mode 0600; SQLite takes an empty file
        return tl::unexpected(systemError("create a file next to it", file, errno));
    auto copy = m_db.prepare("VACUUM INTO ?1");
    auto copied = copy ? copy->bind(1, aside).run() : Result<void>(tl::unexpected(copy.error()));
    struct stat there {};
    if (copied && ::lstat(file.c_str(), &there) == 0)
        copied = fail(Errc::Busy, "was replaced by another file during the run", file);
    abandon();
    if (copied) {
        removeCompanions();
        if (::rename(aside.c_str(), file.c_str()) != 0)
            copied = tl::unexpected(systemError("put back", file, errno));
    }
    if (!copied) {
        ::unlink(aside.c_str());
        return tl::unexpected(copied.error());
    }
    return {};
}

} // namespace rankscope::store
