// SPDX-License-Identifier: Apache-2.0
// What a run begins with: the checkpoint from which it goes on as if it had never stopped, or the weights of other
// files.
#pragma once

#include "core/trainer/checkpoint/train_state.h"
#include "core/trainer/loop/setup/rank.h"

#include <filesystem>
#include <map>
#include <optional>
#include <string>

namespace rankscope::trainer {

/// What was loaded, and what has to wait until the first step begins.
struct Resumed {
    TrainProgress progress;
    RngState rng; ///< this rank's
    std::filesystem::path file;
};

/// Facts of a checkpoint that the run which goes on from it must share: `extras` of its TrainProgress.
std::map<std::string, std::string> checkpointFacts(const Rank& rank);
inline constexpr const char* kTrainedNs = "trained_ns"; ///< for how long, there too
std::int64_t trainedNs(const TrainProgress& progress);
std::string partKey(const std::string& name); ///< under which a StatePart lies there

/// Loads weights, optimizer and state parts of this rank. From `asked` (a file, or a folder whose newest whole one
/// counts), else exp_manager.resume_from_checkpoint, else with exp_manager.resume_if_exists the run's own folder. None:
/// the run begins anew. Damaged files are told and passed over. Errors: another recipe, number of ranks or set of
/// data; nothing that can be used where something was asked for; nothing left to do.
Result<std::optional<Resumed>> resume(Rank& rank, const std::filesystem::path& runDir,
                                      const std::filesystem::path& asked);

/// DDP makes its buckets anew after the first backward, and where an element lies in its bucket decides in which order
/// more than two ranks add it up. So that the first step sees the buckets of an unbroken run, one backward is made and
/// thrown away. Draws random numbers. All ranks call it; throws what collectives throw.
void settleBuckets(Rank& rank);

/// An error, on every rank, where they would go on from different steps.
Result<void> compareResumed(Rank& rank, const std::optional<Resumed>& resumed);

/// Of all ranks, in their order: `rng`, and `buffers` where they are each rank's own. A collective, tag "checkpoint".
void gatherRankStates(Rank& rank, TrainState& state);

/// Puts this rank's buffers back; its random numbers are put back just before the first step.
Result<void> restoreBuffers(Rank& rank, const TrainState& state);

/// init_from_nemo_model, init_from_ptl_ckpt: tensors are taken by name where the model has one, as NeMo does it; what
/// is left out on either side is told. Error: a file that cannot be read, or a tensor of another shape.
Result<void> loadInitialWeights(Rank& rank);

} // namespace rankscope::trainer
