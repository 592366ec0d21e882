// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/trainer/libtorch.h"

#include <string>
#include <utility>
#include <vector>

namespace rankscope::trainer {

/// Tensors with their names, in order.
using NamedTensors = std::vector<std::pair<std::string, torch::Tensor>>;
/// The parameters and buffers of a model, as Python's state_dict().
using StateDict = NamedTensors;

} // namespace rankscope::trainer
