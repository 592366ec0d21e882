// SPDX-License-Identifier: Apache-2.0
// What a launch requires of the data before it starts a rank: files that can be read, and epochs that have the batches
// that the trainer section refers to.
#pragma once

#include "core/base/values/error.h"
#include "core/config/recipe/recipe.h"

namespace rankscope::launch {

/// Checks train_ds and validation_ds: each file exists, the first 200,000 lines of each manifest are valid, and
/// drop_last, limit_*_batches and val_check_interval leave batches to train and validate on. Manifests are read further
/// only until that is known. The contents of tar files are not examined: a rank does that. Errors begin with the key.
Result<void> checkData(const config::Recipe& recipe, int worldSize);

} // namespace rankscope::launch
