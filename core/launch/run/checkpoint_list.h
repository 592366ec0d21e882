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

struct CheckpointFile {
    std::string name; ///< in checkpoints/
    std::uint64_t bytes = 0;
    std::int64_t writtenRealtimeNs = 0;
    std::int64_t steps = -1;               ///< optimizer steps done; training resumes with the step of this number
    std::int64_t epoch = -1;               ///< that the next batch belongs to
    std::map<std::string, double> metrics; ///< "val_loss", …; NaN and infinity come back
    bool last = false;                     ///< last.safetensors, or another name of the same file
    bool best = false;                     ///< by what the recipe monitors; never of one that cannot be used
    std::string problem;                   ///< not empty: why it cannot be used
};

struct ModelFile { ///< a .nemo
    std::string name;
    std::uint64_t bytes = 0;
    std::int64_t writtenRealtimeNs = 0;
};

struct RunCheckpoints {
    std::vector<CheckpointFile> files; ///< the newest first, those that cannot be used behind
    std::vector<ModelFile> models;     ///< the newest first
    std::string monitor;               ///< what `best` goes by; empty: nothing, the newest are the best
};

/// A run without the folder has none. Whether a file's length fits its header is checked, its checksum is not: resuming
/// does that.
Result<RunCheckpoints> listCheckpoints(const RunPaths& run);

/// The newest that can be used; null: there is none.
const CheckpointFile* newestUsable(const RunCheckpoints& checkpoints);

} // namespace rankscope::launch
