// SPDX-License-Identifier: Apache-2.0
// What is wrong with a store that can be read all the same, and how to find it out. Nothing here changes a file.
#pragma once

#include "core/base/values/error.h"
#include "core/store/sqlite/sqlite.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

namespace rankscope::store {

inline constexpr const char* kElsewhere = "*"; ///< damage that was found in no table that was read

struct StoreCondition {
    enum class Log {
        Sound,   ///< or there is none, and none is missed
        Missing, ///< with commits of a killed writer in it
        Torn,    ///< committed changes behind the first damaged place of the log cannot be read
    };
    int newerSchema = 0;                      ///< the store's version, where it is newer than this program's
    std::int64_t missingPages = 0, pages = 0; ///< of the file, when it was cut off
    Log log = Log::Sound;
    std::map<std::string, std::string> tables; ///< or kElsewhere; what could not be read whole, and why
    bool damaged() const { return missingPages > 0 || log != Log::Sound || !tables.empty(); }
    bool sound() const { return !damaged() && newerSchema == 0; }
    bool operator==(const StoreCondition&) const = default;
};

/// Sentences for a terminal: what is wrong, what is shown all the same, what to do. Empty: nothing is wrong.
std::string describe(const StoreCondition& condition, const std::filesystem::path& file);
/// What may help: a command that writes what can be saved into another file.
std::string repairCommand(const std::filesystem::path& file);

/// What SQLite opens beside a store's name.
inline constexpr const char* kStoreSuffixes[] = {"", "-wal", "-shm", "-journal"};

/// What a file is that SQLite takes for none: "is empty", "is a folder", "is text". Regular files are looked into.
Result<void> checkIsFile(const std::filesystem::path& file);
/// Before SQLite may write: a link, pipe or folder in the place of a file that it opens is an error.
Result<void> checkForWriting(const std::filesystem::path& file);
Error notAStore(const std::filesystem::path& file, Error asSqliteSays);

/// Whether the log that a killed writer left ends before its last commit. Of a view.
StoreCondition::Log conditionOfLog(const Database& view);
/// Whether a log went away with commits in it, and was not put into the file first, as any program of SQLite's does at
/// its close. The journals beside the store are the witness: segments go when they are committed.
bool isLogLost(const Database& view, const std::filesystem::path& file);
/// By the header of the file against its length. Of a view without a log.
void findMissingPages(const Database& view, StoreCondition& condition);

/// A larger store is not read whole only to see whether it is sound.
inline constexpr std::int64_t kQuicklyChecked = std::int64_t{256} << 20;

} // namespace rankscope::store
