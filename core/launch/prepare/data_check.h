// SPDX-License-Identifier: Apache-2.0
// What a launch asks of the data before it starts a rank: files that can be read, and epochs that have the batches that
// the trainer section speaks of.
#pragma once

#include "core/base/values/error.h"
#include "core/config/recipe/recipe.h"

namespace rankscope::launch {

/// Of train_ds and validation_ds: each file is there, the first 200,000 lines of each manifest are as they have to be,
/// and drop_last, limit_*_batches and val_check_interval leave batches to train and validate on. A manifest is read
/// further only until that is known. What tar files hold is not looked at: a rank does that. Errors begin with the key.
Result<void> checkData(const config::Recipe& recipe, int worldSize);

} // namespace rankscope::launch
