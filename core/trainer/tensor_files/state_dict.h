// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/trainer/libtorch.h"

#include <string>
#include <utility>
#include <vector>

namespace rankscope::trainer {

/// Tensors with their names, in order: Python's state_dict.
using StateDict = std::vector<std::pair<std::string, torch::Tensor>>;

} // namespace rankscope::trainer
