// SPDX-License-Identifier: Apache-2.0
// Finds the files to import in the given folders. Opens no file.
#pragma once

#include "core/base/values/error.h"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace rankscope::exchange {

struct EventSource {
    std::filesystem::path path;
    int rank = 0;
    std::string prefix; ///< for its tags: its folder relative to the run's own ("train/"); empty: the run's own
};

struct ImportSources {
    std::vector<EventSource> events;                        ///< by rank, then by name, which begins with the time
    std::map<int, std::vector<std::filesystem::path>> logs; ///< by rank; oldest attempt first
    std::filesystem::path hparams;                          ///< empty: none
    std::vector<Message> remarks;
    int worldSize() const; ///< at least 1
};

/// Finds event files, logs and the recipe. A path to a file is taken as an event file whatever its name. In folders,
/// searched with their subfolders, these names count:
///   *tfevents*                                      event files; of rank r if a parent folder is called rank_<r>
///   nemo_log_globalrank-<r>_localrank-<n>.txt       a rank's log; those in run_<n>/ are from earlier attempts
///   hparams.yaml                                    the recipe: the one next to the event files
/// Returns an error if nothing is found, or if there are event files of several runs.
Result<ImportSources> findSources(const std::vector<std::filesystem::path>& paths);

} // namespace rankscope::exchange
