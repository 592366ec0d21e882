// SPDX-License-Identifier: Apache-2.0
// Finds where the audio of a manifest's line is, and whether it exists.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <unordered_map>

namespace rankscope::plan {

/// Resolves paths like NeMo's get_full_path: a relative path is relative to the manifest's folder if the file exists
/// there, otherwise to the working folder; ~ is the home folder. The disk is accessed once per folder, and for each
/// file only if the file's folder exists in both.
class AudioPaths {
public:
    explicit AudioPaths(std::filesystem::path manifestFolder) : m_folder(std::move(manifestFolder)) {}

    std::string resolve(const std::string& written);

private:
    enum class BaseFolder : std::uint8_t { Manifest, Working, Either };
    BaseFolder placeOf(const std::string& folder); ///< a relative folder, as the lines name it

    std::filesystem::path m_folder;
    std::unordered_map<std::string, BaseFolder> m_places;
};

/// Checks whether audio files exist, for a sample: the first lines, and some of those that follow.
struct AudioCheck {
    std::int64_t looked = 0, missing = 0;
    std::string first; ///< of the missing ones

    void look(std::int64_t row, const std::string& path); ///< rows count from 0
};

} // namespace rankscope::plan
