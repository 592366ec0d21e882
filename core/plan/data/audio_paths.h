// SPDX-License-Identifier: Apache-2.0
// Where the audio of a manifest's line lies, and whether it is there.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <unordered_map>

namespace rankscope::plan {

/// As NeMo's get_full_path: a relative path is taken from the manifest's folder where a file lies there, else from the
/// working folder; ~ is the home folder. The disk is asked once a folder, and for each file only where both folders
/// have one of that name.
class AudioPaths {
public:
    explicit AudioPaths(std::filesystem::path manifestFolder) : m_folder(std::move(manifestFolder)) {}

    std::string resolve(const std::string& written);

private:
    enum class Place : std::uint8_t { Manifest, Working, Either };
    Place placeOf(const std::string& folder); ///< a relative one, as the lines name it

    std::filesystem::path m_folder;
    std::unordered_map<std::string, Place> m_places;
};

/// Whether audio files are there, of a sample: the first lines, and some of those that follow.
struct AudioLook {
    std::int64_t looked = 0, missing = 0;
    std::string first; ///< of those that are missing

    void look(std::int64_t row, const std::string& path); ///< rows count from 0
};

} // namespace rankscope::plan
