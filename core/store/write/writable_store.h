// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/files/file.h"
#include "core/store/sqlite/sqlite.h"

#include <sys/types.h>

#include <cstdint>
#include <filesystem>

namespace rankscope::store {

/// The database file of a run while this process is its writer. Closing puts the log into the file, unless the store
/// was abandoned or never claimed.
class WritableStore {
public:
    explicit WritableStore(std::filesystem::path file) : m_file(std::move(file)) {}
    WritableStore(const WritableStore&) = delete;
    WritableStore& operator=(const WritableStore&) = delete;
    ~WritableStore();

    Result<void> open(bool create);
    /// Names this process as the writer, inside the caller's transaction. Busy when another writer lives.
    Result<void> claim();
    /// The claim is committed: it is this object's to release.
    void setClaimed() { m_claimed = true; }
    void abandon() { m_claimed = false; }

    const std::filesystem::path& file() const { return m_file; }
    const Database& db() const { return m_db; }
    /// An error when the file was removed, or another one is in its place.
    Result<void> checkInPlace() const;
    /// Of a store whose file was removed: writes a copy under its name and abandons this one.
    Result<void> writeCopy();
    /// After a commit: gives the cache back where little is written, and spares the log where much is.
    void keepPace();

private:
    void rememberPlace();
    /// Of a store that was removed alone: SQLite would take its log for that of the next one with this name.
    void removeCompanions() const;

    std::filesystem::path m_file;
    UniqueFd m_folder; ///< also when it is renamed
    dev_t m_device = 0;
    ino_t m_inode = 0;
    Database m_db;
    bool m_claimed = false;
    std::int64_t m_paceLookNs = 0, m_paceLookRows = 0;
};

} // namespace rankscope::store
