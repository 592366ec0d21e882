// SPDX-License-Identifier: GPL-3.0-or-later
// Keeps what was read of ended runs in a file of the user's, so that the next start need not read thousands of recipes
// and stores again. Nothing depends on that file: if it is missing, damaged, of another version or another user's, the
// runs are read again.
#pragma once

#include "core/launch/run/run_info.h"
#include "core/store/read/not_finite_tail.h"
#include "widgets/runs/scan/recipe_values.h"
#include "widgets/runs/scan/run_figures.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace rankscope::ui {

/// Distinguishes a file's states from each other and from other files.
struct FileStamp {
    std::uint64_t device = 0, inode = 0;
    std::int64_t bytes = -1, modifiedNs = -1, changedNs = -1; ///< -1: there is no such file
    friend bool operator==(const FileStamp&, const FileStamp&) = default;
    static FileStamp of(const std::filesystem::path& file);
    static FileStamp at(int folder, const std::string& name); ///< relative to an open folder: no path is built
    bool exists() const { return bytes >= 0; }
};

/// The files of a run that its settings and figures are read from.
struct RunStamps {
    FileStamp recipe, store, log;
    friend bool operator==(const RunStamps&, const RunStamps&) = default;
    static RunStamps of(const launch::RunPaths& run);
    /// Returns whether the files were last changed long enough ago that a later change gives them another time.
    bool areOld() const;
};

/// What was read of a run that has ended, without any problem.
struct EndedRun {
    RunStamps stamps;                        ///< before it was read
    RunSettingsPtr settings;                 ///< null: there is no effective.yaml
    RunFiguresPtr figures;                   ///< null: there is no store
    std::vector<store::NotFiniteTail> tails; ///< those that are not empty
};
using EndedRuns = std::unordered_map<std::string, EndedRun>; ///< by folder name; a run elsewhere by its path

/// Returns the file for the runs of this folder, in the user's folder for caches; empty if that is not known.
std::filesystem::path endedRunsFile(const std::filesystem::path& runsDir);
/// Returns no runs if anything is wrong with the file, or if it is that of another folder of runs.
EndedRuns readEndedRuns(const std::filesystem::path& file, const std::filesystem::path& runsDir,
                        const std::shared_ptr<StringInterner>& pool);
/// Replaces the file as a whole; only the user can read it.
Result<void> writeEndedRuns(const std::filesystem::path& file, const std::filesystem::path& runsDir,
                            const EndedRuns& runs);

} // namespace rankscope::ui
