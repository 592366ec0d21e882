// SPDX-License-Identifier: GPL-3.0-or-later
// Makes run folders with the program's own writers: run.json, effective.yaml and a small store.
#pragma once

#include "core/launch/run/run_folder.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

namespace rankscope::test {

struct FolderSpec {
    std::string id, name, relaunchedFrom, resumedFrom;
    launch::RunState state = launch::RunState::Finished;
    int worldSize = 2;
    std::int64_t steps = 40, firstStep = 0; ///< firstStep: above 0 for a resumed run
    std::string yaml;                       ///< content of effective.yaml; empty: no file
    std::function<double(int rank, std::int64_t step)> loss = [](int, std::int64_t) { return 1.0; };
    std::function<int(int rank, std::int64_t step)> batch = [](int, std::int64_t) { return 4; };
    double validation = 0; ///< loss of one validation at the end, the same on all ranks; 0: none
    std::function<double(int rank, std::int64_t step)> validated; ///< val_loss after each tenth step; null: none
    std::function<std::int64_t(std::int64_t step)> stepNs;        ///< null: kFolderStepNs each
    bool withStore = true, withBatches = true;
    bool watched = false; ///< a program of the user's
    std::int64_t startRealtimeNs = 1'767'225'600'000'000'000, lastedNs = 60'000'000'000;
};

inline constexpr std::int64_t kFolderStepNs = 100'000'000;

/// Makes a run's folder. If the state is live, this process is its supervisor.
launch::RunPaths makeFolder(const std::filesystem::path& root, const FolderSpec& spec);
/// Writes run.json only.
void writeFolderInfo(const launch::RunPaths& paths, const FolderSpec& spec);

} // namespace rankscope::test
