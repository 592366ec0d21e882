// SPDX-License-Identifier: Apache-2.0
// The part of a recipe that says what a run starts from and what it keeps: NeMo's exp_manager and init_from_* keys.
#pragma once

#include "core/base/text/message.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace rankscope::config {

struct KeySchema;
struct Node;

struct CheckpointConfig { // NeMo's exp_manager.checkpoint_callback_params
    bool enabled = true;  ///< create_checkpoint_callback
    std::string monitor;  ///< "val_loss", "train_loss"; empty: null, the newest count as the best
    bool larger = false;  ///< mode: max
    int saveTopK = 0;     ///< -1: all
    bool saveLast = true;
    int everyNEpochs = 1;         ///< 0: never
    std::int64_t everyNSteps = 0; ///< every_n_train_steps; 0: never
    bool atEpochEnd = false;      ///< save_on_train_epoch_end; false: after validations
    bool asyncSave = false;
    std::string fileName;     ///< "{epoch}", "{val_loss:.3f}" are filled in; empty: "step-<n>"
    bool namedMetrics = true; ///< auto_insert_metric_name
    std::string nemoName;     ///< name of the .nemo file: prefix and postfix
    bool alwaysSaveNemo = false, nemoAtEnd = true, saveBestModel = false;
    bool saveOnStop = true;                            ///< create_preemption_callback
    bool resumeIfExists = false, mayBeMissing = false; ///< resume_if_exists, resume_ignore_no_checkpoint
    std::string resumeFrom;                            ///< resume_from_checkpoint; empty: null
};

/// A file with the weights that a run starts from: init_from_nemo_model, init_from_ptl_ckpt.
struct InitialWeights {
    std::string key, path;                     ///< key: as in the file, for messages
    std::vector<std::string> include, exclude; ///< parts of names; no include: everything

    bool takes(const std::string& tensor) const;
};

struct CheckpointRecipe {
    CheckpointConfig checkpoint;
    std::vector<InitialWeights> initialWeights;
};

/// Reads a tree that check() has accepted and withCodeDefaults() has completed.
CheckpointRecipe checkpointRecipeOf(const Node& tree);

/// Keys that the trainer rejects, each with a sentence that says why.
using Refusals = std::vector<std::pair<std::string, Message>>;

/// Returns the keys of exp_manager's checkpoints and of init_from_* whose values exclude each other or are not
/// supported.
Refusals refusedCheckpointKeys(const Node& resolved, const KeySchema& facts);

} // namespace rankscope::config
