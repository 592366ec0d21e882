// SPDX-License-Identifier: Apache-2.0
#include "core/launch/cleanup/leftover_files.h"

#include "core/base/files/atomic_file.h"
#include "core/base/files/file.h"
#include "core/base/files/guarded_folder.h"
#include "core/launch/run/run_folder.h"
#include "core/launch/run/run_lock.h"
#include "core/telemetry/journal/journal_segment.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <string>
#include <string_view>
#include <system_error>

namespace rankscope::launch {

namespace fs = std::filesystem;

static bool isPartialFile(const std::string& name) {
    if (name.starts_with(".marks.json.")) // the user's own file, which the holder of another lock may write at any time
        return false;
    return AtomicFile::isLeftOver(name) || name.starts_with(".run.sqlite.new") || name == ".last.safetensors.link";
}

static void removePartialFilesIn(const GuardedFolder& folder) {
    std::error_code ec;
    for (const std::string& name : folder.names(ec))
        if (isPartialFile(name))
            folder.removeFile(name);
}

void removePartialFiles(const RunPaths& run) {
    if (const auto own = GuardedFolder::open(run.dir))
        removePartialFilesIn(*own);
    if (const auto checkpoints = GuardedFolder::open(run.checkpoints(), GuardedFolder::Checkpoints))
        removePartialFilesIn(*checkpoints);
    for (const GuardedFolder& rank : rankFolders(run))
        removePartialFilesIn(rank);
}

/// Returns whether the name is ".<8 digits>-<6 digits>-<name>-<4 hex>", as newRunId() makes it, after a dot.
static bool isLaunchName(std::string_view name) {
    constexpr std::string_view kDigits = "0123456789", kHex = "0123456789abcdef";
    constexpr std::string_view kOfNames = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-";
    constexpr std::size_t kBefore = 17, kBehind = 5; // ".20260101-000000-", "-0a1f"
    const auto isOf = [](std::string_view text, std::string_view letters) {
        return !text.empty() && text.find_first_not_of(letters) == std::string_view::npos;
    };
    if (name.size() <= kBefore + kBehind || name[0] != '.' || name[9] != '-' || name[16] != '-')
        return false;
    const std::string_view own = name.substr(kBefore, name.size() - kBefore - kBehind);
    const std::string_view last = name.substr(name.size() - kBehind + 1);
    return isOf(name.substr(1, 8), kDigits) && isOf(name.substr(10, 6), kDigits) && isOf(own, kOfNames) &&
           name[name.size() - kBehind] == '-' && isOf(last, kHex);
}

namespace {

/// Checks that a folder holds only what a launch makes before it becomes a run.
class OnlyALaunch {
public:
    static bool check(const fs::path& dir) {
        const auto folder = GuardedFolder::open(dir);
        return folder && own(*folder);
    }

private:
    static bool own(const GuardedFolder& folder) {
        static constexpr std::array<std::string_view, 10> kFiles{
            "lock",           "run.json",       "config.yaml",        "effective.yaml", "run.sqlite",
            "run.sqlite-wal", "run.sqlite-shm", "run.sqlite-journal", "control",        "supervisor.log"};
        return each(folder, [&](const std::string& name) {
            if (name == "ranks")
                return inside(folder, name, ranks);
            if (name == "checkpoints")
                return inside(folder, name, checkpoints);
            return isFile(folder, name, std::find(kFiles.begin(), kFiles.end(), name) != kFiles.end());
        });
    }
    static bool ranks(const GuardedFolder& folder) {
        return each(folder, [&](const std::string& name) {
            return name.find_first_not_of("0123456789") == std::string::npos && inside(folder, name, rank);
        });
    }
    static bool rank(const GuardedFolder& folder) {
        return each(folder, [&](const std::string& name) {
            return isFile(folder, name, name == "board" || name == "log.txt" || telemetry::segmentNumber(name));
        });
    }
    static bool checkpoints(const GuardedFolder& folder) {
        return each(folder, [&](const std::string& name) { return isFile(folder, name, isCheckpointName(name)); });
    }

    template <class Is> static bool each(const GuardedFolder& folder, const Is& is) {
        std::error_code ec;
        const auto names = folder.names(ec);
        return !ec && std::all_of(names.begin(), names.end(), is);
    }
    static bool inside(const GuardedFolder& folder, const std::string& name, bool (*is)(const GuardedFolder&)) {
        const auto below = folder.folder(name);
        return below && is(*below);
    }
    static bool isFile(const GuardedFolder& folder, const std::string& name, bool known) {
        return (known || isPartialFile(name)) && folder.hasFile(name);
    }
};

} // namespace

static bool isAbandoned(const fs::path& dir) {
    struct stat st {};
    if (!isLaunchName(dir.filename().string()) || ::lstat(dir.c_str(), &st) != 0 || !S_ISDIR(st.st_mode) ||
        st.st_uid != ::geteuid())
        return false;
    // there is a moment between making the folder and locking it
    std::error_code ec;
    if (const auto made = fs::last_write_time(dir, ec);
        ec || fs::file_time_type::clock::now() - made < std::chrono::minutes(1))
        return false;
    const RunPaths launch{dir};
    if (fs::symlink_status(launch.lock(), ec).type() == fs::file_type::not_found)
        return fs::is_empty(dir, ec) && !ec;
    return OnlyALaunch::check(dir) && RunLock::take(launch.lock()).has_value();
}

void removeAbandonedLaunches(const fs::path& runsDir) {
    std::error_code ec, ignored;
    for (const auto& entry : entriesOf(runsDir, ec))
        if (isAbandoned(entry.path()))
            fs::remove_all(entry.path(), ignored);
}

} // namespace rankscope::launch
