// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/files/file.h"
#include "core/store/sqlite/sqlite.h"

#include <sys/types.h>

#include <cstdint>
#include <filesystem>

namespace rankscope::store {

/// The database file of a run while this process is its writer. Closing it merges the log into the file, unless the
/// store was abandoned or never claimed.
class WritableStore {
public:
    explicit WritableStore(std::filesystem::path file) : m_file(std::move(file)) {}
    WritableStore(const WritableStore&) = delete;
    WritableStore& operator=(const WritableStore&) = delete;
    ~WritableStore();

    Result<void> open(bool create);
    /// Names this process as the writer, inside the caller's transaction. Busy if another writer is running.
    Result<void> claim();
    /// Call it after the claim is committed; closing then releases it.
    void setClaimed() { m_claimed = true; }
    void abandon() { m_claimed = false; }

    const std::filesystem::path& file() const { return m_file; }
    const Database& db() const { return m_db; }
    /// Returns an error if the file was removed or replaced.
    Result<void> checkInPlace() const;
    /// For a store whose file was removed: writes a copy under its name and abandons this one.
    Result<void> writeCopy();
    /// Call it after a commit. Frees the cache while little is written, and checkpoints the log less often while much
    /// is written.
    void keepPace();

private:
    void saveFileIdentity();
    /// Removes the files that a removed store left: SQLite would mistake its log for that of the next store with this
    /// name.
    void removeCompanions() const;

    std::filesystem::path m_file;
    UniqueFd m_folder; ///< still valid if the folder is renamed
    dev_t m_device = 0;
    ino_t m_inode = 0;
    Database m_db;
    bool m_claimed = false;
    std::int64_t m_paceLookNs = 0, m_paceLookRows = 0;
};

} // namespace rankscope::store
