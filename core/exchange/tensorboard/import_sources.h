// SPDX-License-Identifier: Apache-2.0
// What lies in the folders that somebody wants imported. Nothing is opened here.
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
    std::string
        prefix; ///< of its tags: the folder below the run's own in which it lies ("train/"); empty: the run's own
};

struct ImportSources {
    std::vector<EventSource> events;                        ///< by rank; of a rank by name, which begins with the time
    std::map<int, std::vector<std::filesystem::path>> logs; ///< by rank; of several attempts the oldest first
    std::filesystem::path hparams;                          ///< empty: none
    std::vector<std::string> remarks;
    int worldSize() const; ///< at least 1
};

/// Files are taken as event files whatever their name. Of folders, searched with all below them:
///   *tfevents*                                      event files; of rank r where a folder above is called rank_<r>
///   nemo_log_globalrank-<r>_localrank-<n>.txt       a rank's log; those of run_<n>/ are of earlier attempts
///   hparams.yaml                                    the recipe: the one beside the event files
/// An Error where nothing is found, or event files of several runs.
Result<ImportSources> findSources(const std::vector<std::filesystem::path>& paths);

} // namespace rankscope::exchange
