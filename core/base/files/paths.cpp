// SPDX-License-Identifier: Apache-2.0
#include "core/base/files/paths.h"

#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <string_view>
#include <vector>

namespace rankscope {

namespace fs = std::filesystem;

static std::string environment(const char* name) {
    const char* value = std::getenv(name);
    return value ? value : "";
}

/// Returns the program's folder in the user's folder of one kind, which the variable or else `underHome` names.
static fs::path userDir(const char* variable, const char* underHome) {
    if (const auto set = environment(variable); !set.empty() && set.front() == '/')
        return fs::path(set) / "rankscope";
    const auto home = environment("HOME");
    return home.empty() ? fs::path() : fs::path(home) / underHome / "rankscope";
}

fs::path userDataDir() {
    return userDir("XDG_DATA_HOME", ".local/share");
}

fs::path userCacheDir() {
    return userDir("XDG_CACHE_HOME", ".cache");
}

Result<fs::path> defaultRunsDir() {
    if (auto set = environment("RANKSCOPE_RUNS"); !set.empty())
        return fs::path(set);
    if (const fs::path data = userDataDir(); !data.empty())
        return data / "runs";
    return fail(Errc::BadInput,
                "no folder for runs: neither RANKSCOPE_RUNS, XDG_DATA_HOME nor HOME is set; pass --runs DIR");
}

static std::string homeOf(const std::string& user) {
    if (auto home = environment("HOME"); user.empty() && !home.empty())
        return home;
    std::vector<char> room(1 << 14);
    struct passwd entry {};
    struct passwd* found = nullptr;
    const int failed = user.empty() ? ::getpwuid_r(::getuid(), &entry, room.data(), room.size(), &found)
                                    : ::getpwnam_r(user.c_str(), &entry, room.data(), room.size(), &found);
    return failed == 0 && found && found->pw_dir ? found->pw_dir : "";
}

std::string expandHome(const std::string& path) {
    if (!path.starts_with('~'))
        return path;
    const auto slash = std::min(path.find('/'), path.size());
    std::string home = homeOf(path.substr(1, slash - 1));
    while (home.size() > 1 && home.back() == '/')
        home.pop_back();
    return home.empty() ? path : home == "/" && slash < path.size() ? path.substr(slash) : home + path.substr(slash);
}

fs::path programDir() {
    std::error_code ec;
    const fs::path self = fs::read_symlink("/proc/self/exe", ec);
    return ec ? fs::path(".") : self.parent_path();
}

static bool executable(const fs::path& p) {
    return ::access(p.c_str(), X_OK) == 0;
}

static fs::path inPath(const std::string& name) {
    const std::string path = environment("PATH");
    std::string_view rest = path;
    while (!rest.empty()) {
        const auto colon = rest.find(':');
        const std::string_view dir = rest.substr(0, colon);
        if (fs::path candidate = fs::path(dir) / name; !dir.empty() && executable(candidate))
            return candidate;
        rest = colon == std::string_view::npos ? std::string_view{} : rest.substr(colon + 1);
    }
    return {};
}

bool programExists(const std::string& name) {
    std::error_code ec;
    if (name.find('/') != std::string::npos)
        return executable(name) && !fs::is_directory(name, ec);
    return !name.empty() && !inPath(name).empty();
}

Result<fs::path> findProgram(const std::string& name) {
    std::string variable = name;
    std::transform(variable.begin(), variable.end(), variable.begin(),
                   [](unsigned char c) { return c == '-' ? '_' : static_cast<char>(std::toupper(c)); });
    if (auto set = environment(variable.c_str()); !set.empty())
        return executable(set) ? Result<fs::path>(fs::path(set))
                               : fail(Errc::NotFound, {"{} is not a program", variable}, set);
    if (const fs::path beside = programDir() / name; executable(beside))
        return beside;
    if (const fs::path found = inPath(name); !found.empty())
        return found;
    return fail(Errc::NotFound,
                {"program not found in {} nor in PATH; install the package {} or build it, or set {}", programDir(),
                 name, variable},
                name);
}

} // namespace rankscope
