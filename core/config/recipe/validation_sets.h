// SPDX-License-Identifier: Apache-2.0
// NeMo makes a validation loader of each manifest of a list (nemo/utils/model_utils.py, resolve_validation_dataloaders)
// and logs each loader's loss under a name of its own. val_loss is the loss of the loader number val_dl_idx.
#pragma once

#include "core/config/recipe/recipe.h"

#include <string>
#include <vector>

namespace rankscope::config {

struct Node;

struct ValidationSet {
    std::string lossName;  ///< "val_other_val_loss"; "val_loss" where there is no other set
    bool monitored = true; ///< its loss is val_loss too
    DatasetConfig data;
};

/// Empty without a validation. A val_dl_idx that names no set leaves none monitored: checkDatasets() refuses it.
std::vector<ValidationSet> validationSets(const Recipe& recipe);

/// Of each manifest of a section validation_ds: "val_other_" of /data/val-other_manifest.json, or what its key `name`
/// says. Empty where NeMo makes one loader: a single path, paths joined by commas, buckets, a negative val_dl_idx.
std::vector<std::string> validationSetNames(const Node& section);

/// NeMo's parse_dataset_as_name; empty: NeMo refuses it ("manifest.json").
std::string validationSetName(const std::string& manifest);

/// Under which the losses of these sets are logged, val_loss among them.
std::vector<std::string> validationLossNames(const std::vector<std::string>& setNames);

} // namespace rankscope::config
