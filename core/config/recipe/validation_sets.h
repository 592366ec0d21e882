// SPDX-License-Identifier: Apache-2.0
// NeMo makes a validation loader for each manifest of a list (nemo/utils/model_utils.py,
// resolve_validation_dataloaders) and logs each loader's loss under a separate name. val_loss is the loss of loader
// number val_dl_idx.
#pragma once

#include "core/config/recipe/recipe.h"

#include <string>
#include <vector>

namespace rankscope::config {

struct Node;

struct ValidationSet {
    std::string lossName;  ///< "val_other_val_loss"; "val_loss" if it is the only set
    bool monitored = true; ///< its loss is also logged as val_loss
    DatasetConfig data;
};

/// Returns an empty list without validation. If val_dl_idx does not name a set, none is monitored: checkDatasets()
/// refuses it.
std::vector<ValidationSet> validationSets(const Recipe& recipe);

/// Returns a name for each manifest of a section validation_ds: "val_other_" for /data/val-other_manifest.json, or the
/// value of its key `name`. Empty if NeMo makes one loader: a single path, paths joined by commas, buckets, a negative
/// val_dl_idx.
std::vector<std::string> validationSetNames(const Node& section);

/// Returns the result of NeMo's parse_dataset_as_name; empty if NeMo refuses it ("manifest.json").
std::string validationSetName(const std::string& manifest);

/// Returns the names under which the losses of these sets are logged, including val_loss.
std::vector<std::string> validationLossNames(const std::vector<std::string>& setNames);

} // namespace rankscope::config
