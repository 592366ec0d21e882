// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/trainer/loop/setup/rank.h"

namespace rankscope::trainer {

/// init_from_nemo_model, init_from_ptl_ckpt: tensors are taken by name where the model has one, as NeMo does it; what
/// is left out on either side is told. Error: a file that cannot be read, or a tensor of another shape.
Result<void> loadInitialWeights(Rank& rank);

} // namespace rankscope::trainer
