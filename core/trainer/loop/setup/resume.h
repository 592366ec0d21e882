// SPDX-License-Identifier: Apache-2.0
// Loads what a run starts from: the checkpoint from which it continues as if it had never stopped, or the weights of
// other files.
#pragma once

#include "core/trainer/checkpoint/train_state.h"
#include "core/trainer/loop/setup/rank_runtime.h"

#include <filesystem>
#include <map>
#include <optional>
#include <string>

namespace rankscope::trainer {

/// The loaded progress, and state that is restored only just before the first step.
struct ResumePoint {
    TrainProgress progress;
    RngState rng; ///< this rank's
    std::filesystem::path file;
};

/// Returns the facts of a checkpoint that a run resumed from it must share: `extras` of its TrainProgress.
std::map<std::string, std::string> checkpointFacts(const RankRuntime& rank);
inline constexpr const char* kTrainedNs = "trained_ns"; ///< key in `extras` of the training time
std::int64_t trainedNs(const TrainProgress& progress);
std::string partKey(const std::string& name); ///< key in `extras` of a StatePart

/// Loads weights, optimizer and state parts of this rank. From `asked` (a file, or a folder, of which the newest
/// complete one is used), else exp_manager.resume_from_checkpoint, else with exp_manager.resume_if_exists the run's own
/// folder. None: the run starts from step 0. Damaged files are reported and skipped. Errors: another recipe, number of
/// ranks or set of data; no usable checkpoint although one was requested; no steps left to train.
Result<std::optional<ResumePoint>> resume(RankRuntime& rank, const std::filesystem::path& runDir,
                                          const std::filesystem::path& asked);

/// Runs one backward and discards it, so that the first step has the buckets of an uninterrupted run: DDP rebuilds its
/// buckets after the first backward, and an element's position in its bucket decides in which order more than two ranks
/// add it up. Draws random numbers. All ranks call it; throws what collectives throw.
void warmUpBuckets(RankRuntime& rank);

/// Returns an error, on every rank, if they would continue from different steps.
Result<void> compareResumed(RankRuntime& rank, const std::optional<ResumePoint>& resumed);

/// Gathers from all ranks, in their order: `rng`, and `buffers` if each rank has its own. A collective, tag
/// "checkpoint".
void gatherRankStates(RankRuntime& rank, TrainState& state);

/// Restores this rank's buffers; its random numbers are restored just before the first step.
Result<void> restoreBuffers(RankRuntime& rank, const TrainState& state);

/// Loads the weights of init_from_nemo_model or init_from_ptl_ckpt: tensors are taken by name if the model has one, as
/// in NeMo; tensors left out on either side are reported. Error: a file that cannot be read, or a tensor of another
/// shape.
Result<void> loadInitialWeights(RankRuntime& rank);

} // namespace rankscope::trainer
