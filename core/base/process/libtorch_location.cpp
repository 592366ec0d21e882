// SPDX-License-Identifier: Apache-2.0
#include "core/base/process/libtorch_location.h"

#include "core/base/files/file.h"
#include "core/base/files/paths.h"
#include "core/base/values/result.h"

#include <cstdlib>
#include <string_view>

namespace rankscope {

namespace fs = std::filesystem;

static constexpr const char* kTrainer = "rankscope-trainer";

std::vector<fs::path> setupFolders(const fs::path& prefix) {
    std::vector<fs::path> folders;
    if (const fs::path own = userDataDir(); !own.empty())
        folders.push_back(own);
    folders.push_back(prefix / "var" / "rankscope");
    folders.emplace_back("/var/lib/rankscope");
    return folders;
}

fs::path installPrefix() {
    return programDir().parent_path();
}

static fs::path prefixOf(const fs::path& starter) {
    std::error_code ec;
    const fs::path real = fs::canonical(starter, ec); // follows a link in ~/bin to the installed program
    return (ec ? starter : real).parent_path().parent_path();
}

fs::path installedTrainer(const fs::path& starter) {
    std::error_code ec;
    const fs::path program = prefixOf(starter) / "lib" / "rankscope" / kTrainer;
    return fs::is_regular_file(program, ec) && !fs::equivalent(program, starter, ec) ? program : fs::path();
}

static std::string firstLine(const fs::path& file) {
    const auto text = readFile(file);
    return text ? text->substr(0, text->find_first_of("\r\n")) : std::string();
}

std::string libTorchVersion(const fs::path& libTorch) {
    if (auto version = firstLine(libTorch / "build-version"); !version.empty())
        return version;
    const auto text = readFile(libTorch / "version.py");
    constexpr std::string_view key = "__version__ = '";
    const auto at = text ? text->find(key) : std::string::npos;
    if (at == std::string::npos)
        return {};
    const auto begin = at + key.size();
    return text->substr(begin, text->find('\'', begin) - begin);
}

/// "2.11" of "2.11.0+cu130": the C++ interface does not change within a minor version.
static std::string_view minorOf(std::string_view version) {
    const auto dot = version.find('.');
    return dot == std::string_view::npos ? version : version.substr(0, version.find_first_of(".+", dot + 1));
}

static bool hasLibraries(const fs::path& libTorch) {
    std::error_code ec;
    return fs::is_regular_file(libTorch / "lib" / "libtorch_cpu.so", ec);
}

/// Describes a place without LibTorch, with the reason if it is a link that this user cannot use.
static Message describePlace(const fs::path& libTorch) {
    std::error_code ec;
    const fs::path target = fs::read_symlink(libTorch, ec);
    if (ec)
        return libTorch.string();
    const bool closed = fs::status(libTorch / "lib" / "libtorch_cpu.so", ec).type() == fs::file_type::none;
    return closed && ec == std::errc::permission_denied
               ? Message("{}, a link to {}, which you do not have permission to read", libTorch, target)
               : Message("{}, a link to {}, which does not exist", libTorch, target);
}

/// `remedy`: what to do about another version.
static Result<fs::path> checked(const fs::path& libTorch, const std::string& wanted, const Message& remedy) {
    const std::string version = libTorchVersion(libTorch);
    if (!wanted.empty() && minorOf(version) != minorOf(wanted))
        return fail(Errc::Unsupported,
                    version.empty()
                        ? Message("has no build-version or version.py that names its version, but this trainer needs "
                                  "LibTorch {}: {}",
                                  wanted, remedy)
                        : Message("is LibTorch {}, but this trainer was built with {}: {}", version, wanted, remedy),
                    libTorch.string());
    std::error_code ec;
    const fs::path real = fs::canonical(libTorch, ec);
    return ec ? libTorch : real;
}

Result<fs::path> findLibTorch(const fs::path& starter) {
    const fs::path prefix = prefixOf(starter);
    const std::string wanted = firstLine(prefix / "lib" / "rankscope" / "libtorch-version");
    if (const char* set = std::getenv("RANKSCOPE_LIBTORCH"); set && *set) {
        if (!hasLibraries(set))
            return fail(Errc::NotFound,
                        "RANKSCOPE_LIBTORCH is not a LibTorch folder: it has no "
                        "lib/libtorch_cpu.so",
                        set);
        return checked(set, wanted, Message("set RANKSCOPE_LIBTORCH to a LibTorch of that version, or unset it"));
    }
    Message places;
    for (const fs::path& folder : setupFolders(prefix)) {
        if (hasLibraries(folder / "libtorch"))
            return checked(folder / "libtorch", wanted,
                           Message("run rankscope-setup, or rankscope-setup --libtorch DIR with that version"));
        Message place = describePlace(folder / "libtorch");
        places = places.empty() ? std::move(place) : Message("{}; {}", std::move(places), std::move(place));
    }
    return fail(Errc::NotFound,
                {"LibTorch is missing, and no rank starts without it: run rankscope-setup to download it, or "
                 "rankscope-setup --libtorch DIR to use an existing one (looked in {})",
                 std::move(places)},
                starter.string());
}

Result<fs::path> findTrainer() {
    auto trainer = findProgram(kTrainer);
    if (!trainer || installedTrainer(*trainer).empty())
        return trainer;
    RS_TRY(findLibTorch(*trainer));
    return trainer;
}

} // namespace rankscope
