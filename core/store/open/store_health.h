// SPDX-License-Identifier: Apache-2.0
// Finds out what is wrong with a store that can still be read. Nothing here changes a file.
#pragma once

#include "core/base/values/error.h"
#include "core/store/sqlite/sqlite.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

namespace rankscope::store {

inline constexpr const char* kOtherTables = "*"; ///< damage outside the tables that were read

struct StoreHealth {
    enum class LogState {
        Sound,   ///< intact, or absent as expected
        Missing, ///< a killed writer left a log with commits, which is gone
        Torn,    ///< committed changes after the first damage in the log cannot be read
    };
    int newerSchema = 0;                      ///< the store's version if it is newer than this program's; else 0
    std::int64_t missingPages = 0, pages = 0; ///< of the file, if it was truncated
    LogState log = LogState::Sound;
    std::map<std::string, Message> tables; ///< table (or kOtherTables) that is partly unreadable, and why
    bool damaged() const { return missingPages > 0 || log != LogState::Sound || !tables.empty(); }
    bool sound() const { return !damaged() && newerSchema == 0; }
    bool operator==(const StoreHealth&) const = default;
};

/// Returns sentences for a terminal that say what is wrong, which data is still shown, and what to do. Empty: nothing
/// is wrong.
Message describe(const StoreHealth& condition, const std::filesystem::path& file);
/// Returns a command that saves the readable data into another file.
std::string repairCommand(const std::filesystem::path& file);

/// Suffixes of the files that SQLite opens for a store.
inline constexpr const char* kStoreSuffixes[] = {"", "-wal", "-shm", "-journal"};

/// Returns an error that says what a file is when it cannot be a store: "is empty", "is a folder".
Result<void> checkIsFile(const std::filesystem::path& file);
/// Returns an error if one of the files that SQLite would open is a link, pipe or folder. Call it before writing.
Result<void> checkForWriting(const std::filesystem::path& file);
Error whyNotAStore(const std::filesystem::path& file, Error asSqliteSays);

/// Returns whether the log that a killed writer left ends before its last commit. For a view only.
StoreHealth::LogState conditionOfLog(const Database& view);
/// Returns true if a log with commits is gone although it was not merged into the file, as SQLite does when it closes a
/// store. The journals next to the store reveal this, because their segments are removed once they are committed.
bool isLogLost(const Database& view, const std::filesystem::path& file);
/// Compares the header of the file with its length. For a view without a log only.
void findMissingPages(const Database& view, StoreHealth& condition);

/// Stores larger than this are not read completely just to check them.
inline constexpr std::int64_t kQuicklyChecked = std::int64_t{256} << 20;

} // namespace rankscope::store
