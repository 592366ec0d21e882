// SPDX-License-Identifier: Apache-2.0
#include "core/launch/command/observer_folder.h"

#include "core/base/files/file.h"
#include "core/base/files/paths.h"
#include "core/base/values/result.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <string_view>
#include <system_error>

namespace rankscope::launch {

namespace fs = std::filesystem;

static bool isOff() {
    const char* set = std::getenv("RANKSCOPE_OBSERVER");
    return set && std::string_view(set) == "off";
}

/// Returns whether other users may be in the group. A user's own group, which has the user's number, has no others.
static bool isOthersGroup(gid_t group) {
    return group != 0 && group != ::geteuid();
}

static Result<void> checkOwner(const fs::path& path, bool isParent) {
    struct stat st {};
    if (::lstat(path.c_str(), &st) != 0)
        return tl::unexpected(systemError("read", path.string(), errno));
    if (S_ISLNK(st.st_mode)) // its own mode means nothing, and its folder is checked
        return {};
    if (st.st_uid != 0 && st.st_uid != ::geteuid())
        return fail(Errc::Permission,
                    "belongs to another user, who could change what your program loads: install Rankscope in a folder "
                    "of your own, or as root",
                    path.string());
    const bool keepsEntries = isParent && (st.st_mode & S_ISVTX) != 0; // as in /tmp: only owners replace their files
    const bool byOthers = (st.st_mode & S_IWOTH) != 0 || ((st.st_mode & S_IWGRP) != 0 && isOthersGroup(st.st_gid));
    if (byOthers && !keepsEntries)
        return fail(
            Errc::Permission,
            {"can be written by other users, who could change what your program loads: run 'chmod go-w {}'", path},
            path.string());
    return {};
}

static Result<void> checkContents(const fs::path& folder, int depth) {
    constexpr int kDeepest = 8;
    std::error_code ec;
    for (const auto& entry : entriesOf(folder, ec)) {
        RS_TRY(checkOwner(entry.path(), false));
        std::error_code ignored;
        if (depth < kDeepest && entry.symlink_status(ignored).type() == fs::file_type::directory)
            RS_TRY(checkContents(entry.path(), depth + 1));
    }
    return {};
}

Result<void> checkNobodyElseWrites(const fs::path& folder) {
    std::error_code ec;
    const fs::path real = fs::canonical(folder, ec);
    if (ec)
        return tl::unexpected(systemError("read", folder.string(), ec.value()));
    RS_TRY(checkOwner(real, false));
    for (fs::path parent = real.parent_path();; parent = parent.parent_path()) {
        RS_TRY(checkOwner(parent, true));
        if (parent == parent.parent_path())
            break;
    }
    return checkContents(real, 0);
}

static Result<fs::path> observerFolder() {
    const fs::path folder = (programDir().parent_path() / "lib" / "rankscope" / "observer").lexically_normal();
    std::error_code ec;
    if (!fs::exists(folder / "sitecustomize.py", ec))
        return fail(Errc::NotFound, "the observer that watches a Python program is not there: install Rankscope again",
                    folder.string());
    RS_TRY(checkNobodyElseWrites(folder));
    return folder;
}

Result<fs::path> nemoScript() {
    RS_TRY_ASSIGN(const auto folder, observerFolder());
    return folder / "nemo_pretraining.py";
}

Result<Environment> observerEnvironment(const fs::path& run) {
    Environment environment{{kRunDirVariable, run.string()}};
    if (isOff())
        return environment;
    RS_TRY_ASSIGN(const auto folder, observerFolder());
    std::string path = folder.string();
    if (const char* own = std::getenv("PYTHONPATH"); own && *own != '\0')
        path += std::string(":") + own;
    environment.emplace_back("PYTHONPATH", std::move(path));
    return environment;
}

bool observes(const Environment& environment) {
    return std::any_of(environment.begin(), environment.end(),
                       [](const auto& set) { return set.first == "PYTHONPATH"; });
}

Result<void> makeReportFolder(const fs::path& folder) {
    RS_TRY(makePrivateDirs(folder));
    struct stat st {};
    if (::stat(folder.c_str(), &st) != 0)
        return tl::unexpected(systemError("read", folder.string(), errno));
    if (st.st_uid != ::geteuid())
        return fail(Errc::Permission, "belongs to another user: give a folder of your own", folder.string());
    if ((st.st_mode & 0777) != 0700 && ::chmod(folder.c_str(), 0700) != 0)
        return tl::unexpected(systemError("change the mode of", folder.string(), errno));
    return {};
}

} // namespace rankscope::launch
