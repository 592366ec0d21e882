// SPDX-License-Identifier: Apache-2.0
#include "core/plan/data/audio_paths.h"

#include "core/base/files/paths.h"

namespace rankscope::plan {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostPlaces = 100'000; ///< folders that are cached
constexpr std::int64_t kFirstLooked = 500, kLookedEvery = 1009, kMostLooked = 1'500;

bool isFile(const fs::path& path) {
    std::error_code ec;
    return fs::is_regular_file(path, ec);
}

} // namespace

AudioPaths::BaseFolder AudioPaths::placeOf(const std::string& folder) {
    const auto known = m_places.find(folder);
    if (known != m_places.end())
        return known->second;
    if (m_places.size() >= kMostPlaces)
        m_places.clear();
    std::error_code ec;
    const fs::path here = fs::path(folder.empty() ? "." : folder).lexically_normal();
    const fs::path there = (m_folder / here).lexically_normal();
    BaseFolder place = BaseFolder::Manifest;
    if (!fs::is_directory(there, ec))
        place = fs::is_directory(here, ec) ? BaseFolder::Working : BaseFolder::Manifest;
    else if (fs::is_directory(here, ec) && !fs::equivalent(here, there, ec))
        place = BaseFolder::Either;
    m_places.emplace(folder, place);
    return place;
}

std::string AudioPaths::resolve(const std::string& written) {
    const fs::path path(written);
    if (path.is_absolute())
        return path.lexically_normal().string();
    std::string inManifests = (m_folder / path).lexically_normal().string();
    if (written.front() == '~') {
        const std::string home = expandHome(written);
        return home == written || isFile(inManifests) ? inManifests : fs::path(home).lexically_normal().string();
    }
    switch (placeOf(path.parent_path().string())) {
    case BaseFolder::Manifest:
        break;
    case BaseFolder::Working:
        return path.lexically_normal().string();
    case BaseFolder::Either:
        if (!isFile(inManifests) && isFile(path))
            return path.lexically_normal().string();
    }
    return inManifests;
}

void AudioCheck::look(std::int64_t row, const std::string& path) {
    if (looked >= kMostLooked || (row >= kFirstLooked && row % kLookedEvery != 0))
        return;
    ++looked;
    std::error_code ec;
    if (fs::exists(path, ec))
        return;
    if (++missing == 1)
        first = path;
}

} // namespace rankscope::plan
