// SPDX-License-Identifier: Apache-2.0
// Lists a run's folder checkpoints/: the checkpoints that training can resume from, and the exported .nemo models.
// Reads headers only, never tensors.
#pragma once

#include "core/base/values/error.h"
#include "core/launch/run/run_folder.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace rankscope::launch {

/// A checkpoint that training can resume from.
struct CheckpointFile {
    std::string name; ///< in checkpoints/
    std::uint64_t bytes = 0;
    std::int64_t writtenRealtimeNs = 0;
    std::int64_t steps = -1;               ///< optimizer steps done; training resumes with the step of this number
    std::int64_t epoch = -1;               ///< epoch that the next batch belongs to
    std::map<std::string, double> metrics; ///< "val_loss", …; may be NaN or infinite
    bool last = false;                     ///< last.safetensors, or another name of the same file
    bool best = false;   ///< by the metric that the recipe monitors; never set on a file that cannot be used
    std::string problem; ///< not empty: why it cannot be used
};

/// An exported model, a .nemo file.
struct ModelFile {
    std::string name;
    std::uint64_t bytes = 0;
    std::int64_t writtenRealtimeNs = 0;
    std::int64_t steps = -1; ///< optimizer steps after which its weights were taken; -1: not recorded
};

/// The contents of a run's folder checkpoints/.
struct RunCheckpoints {
    std::vector<CheckpointFile> files; ///< newest first; files that do not give their step come last
    std::vector<ModelFile> models;     ///< newest first
    std::string monitor;               ///< metric that decides `best`; empty: none, the newest are the best
};

/// Returns no files if the run has no such folder. Checks that a file's length fits its header, but not its checksum:
/// resuming does that.
Result<RunCheckpoints> listCheckpoints(const RunPaths& run);

/// Returns the newest checkpoint that can be used; null if there is none.
const CheckpointFile* newestUsable(const RunCheckpoints& checkpoints);

} // namespace rankscope::launch
