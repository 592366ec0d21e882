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

inline constexpr const char* kElsewhere = "*"; ///< damage outside the tables that were read

struct StoreCondition {
    enum class Log {
        Sound,   ///< or there is none, and none is expected
        Missing, ///< with commits of a killed writer in it
        Torn,    ///< committed changes after the first damage in the log cannot be read
    };
    int newerSchema = 0;                      ///< the store's version, where it is newer than this program's
    std::int64_t missingPages = 0, pages = 0; ///< of the file, when it was cut off
    Log log = Log::Sound;
    std::map<std::string, std::string> tables; ///< or kElsewhere; what could not be read whole, and why
    bool damaged() const { return missingPages > 0 || log != Log::Sound || !tables.empty(); }
    bool sound() const { return !damaged() && newerSchema == 0; }
    bool operator==(const StoreCondition&) const = default;
};

/// Returns sentences for a terminal: what is wrong, what is still shown, what to do. Empty: nothing is wrong.
std::string describe(const StoreCondition& condition, const std::filesystem::path& file);
/// Returns a command that writes what can be saved into another file.
std::string repairCommand(const std::filesystem::path& file);

/// Suffixes of the files that SQLite opens for a store.
inline constexpr const char* kStoreSuffixes[] = {"", "-wal", "-shm", "-journal"};

/// Returns an error that says what a file is when it cannot be a store: "is empty", "is a folder".
Result<void> checkIsFile(const std::filesystem::path& file);
/// Returns an error when one of the files that SQLite would open is a link, pipe or folder. Call it before writing.
Result<void> checkForWriting(const std::filesystem::path& file);
Error notAStore(const std::filesystem::path& file, Error asSqliteSays);

/// Returns whether the log that a killed writer left ends before its last commit. For a view only.
StoreCondition::Log conditionOfLog(const Database& view);
/// True when a log with commits is gone without having been put into the file first, as SQLite does when it closes a
/// store. The journals next to the store show it: their segments are removed when they are committed.
bool isLogLost(const Database& view, const std::filesystem::path& file);
/// Compares the header of the file with its length. For a view without a log only.
void findMissingPages(const Database& view, StoreCondition& condition);

/// A larger store is not read completely just to check it.
inline constexpr std::int64_t kQuicklyChecked = std::int64_t{256} << 20;

} // namespace rankscope::store
