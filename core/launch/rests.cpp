// SPDX-License-Identifier: Apache-2.0
#include "core/launch/rests.h"

#include "core/base/atomic_file.h"
#include "core/base/folder.h"
#include "core/launch/run_lock.h"

#include <chrono>
#include <system_error>

namespace rankscope::launch {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

/// A page being made: "board.AbCdEf".
static bool isHalfAPage(const std::string& name) {
    constexpr std::size_t kLetters = 6; // that mkostemp chooses
    for (const std::string_view page : {"board.", "control."})
        if (name.starts_with(page) && name.size() == page.size() + kLetters)
            return true;
    return false;
}

static bool isRest(const std::string& name) {
    if (name.starts_with(".marks.json.")) // people's own, written at any time by who holds another lock
        return false;
    return AtomicFile::isLeftOver(name) || name == ".last.safetensors.link" || isHalfAPage(name);
}

static void removeRestsIn(const fs::path& folder) {
    std::error_code ec;
    for (const auto& entry : entriesOf(folder, ec)) {
        std::error_code ignored;
        if (isRest(entry.path().filename().string()) && entry.is_regular_file(ignored))
            fs::remove(entry, ignored);
    }
}

void removeRests(const RunPaths& run) {
    removeRestsIn(run.dir);
    removeRestsIn(run.checkpoints());
    std::error_code ec;
    for (const auto& rank : entriesOf(run.dir / "ranks", ec))
        removeRestsIn(rank);
}

static bool isAbandoned(const fs::directory_entry& entry) {
    std::error_code ec;
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(".2") || !entry.is_directory(ec) || entry.is_symlink(ec)) // ".<time>-<name>-<4 hex>"
        return false;
    // between making the folder and locking it there is a moment
    if (const auto made = entry.last_write_time(ec); ec || fs::file_time_type::clock::now() - made < 1min)
        return false;
    const RunPaths launch{entry.path()};
    if (fs::exists(launch.lock(), ec))
        return RunLock::take(launch.lock()).has_value();
    return fs::is_empty(entry.path(), ec) && !ec;
}

void removeAbandonedLaunches(const fs::path& runsDir) {
    std::error_code ec, ignored;
    for (const auto& entry : entriesOf(runsDir, ec))
        if (isAbandoned(entry))
            fs::remove_all(entry, ignored);
}

} // namespace rankscope::launch
