// SPDX-License-Identifier: Apache-2.0
// Shared by the benchmarks: a folder that is removed at the end, and arguments of the form --name number.
#pragma once

#include <unistd.h>

#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <map>
#include <string>
#include <string_view>

namespace rankscope::bench {

struct Folder {
    std::filesystem::path path;
    Folder() {
        std::string name = (std::filesystem::temp_directory_path() / "rankscope-bench-XXXXXX").string();
        if (!::mkdtemp(name.data()))
            std::abort();
        path = name;
    }
    ~Folder() {
        std::error_code ec;
        std::filesystem::remove_all(path, ec);
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    std::string at(const std::string& name) const { return (path / name).string(); }
};

using Arguments = std::map<std::string, std::int64_t>; ///< with their defaults

/// Parses the arguments. `run` receives DIR of --run, if given. Returns false if a name or a number is wrong.
inline bool parse(int argc, char** argv, Arguments& arguments, std::string* run = nullptr,
                  std::int64_t least = std::numeric_limits<std::int64_t>::min()) {
    for (int i = 1; i + 1 < argc; i += 2) {
        const std::string_view name = argv[i], value = argv[i + 1];
        const auto at = arguments.find(std::string(name));
        if (run && name == "--run")
            *run = value;
        else if (at == arguments.end() ||
                 std::from_chars(value.data(), value.data() + value.size(), at->second).ec != std::errc() ||
                 at->second < least)
            return false;
    }
    return argc % 2 == 1;
}

} // namespace rankscope::bench
