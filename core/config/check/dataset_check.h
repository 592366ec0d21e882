// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config/effective/loaded_recipe.h"

namespace rankscope::config {

/// What must fit together inside model.train_ds and model.validation_ds: buckets, their sizes and weights, shards.
void checkDatasets(const Node& root, std::vector<Problem>& problems);

} // namespace rankscope::config
