// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/trainer/libtorch.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace rankscope::trainer {

/// 64-bit hash of names, types, shapes and bytes in the given order: equal on two ranks when their states are. Some
/// GB/s; not for security.
std::uint64_t stateHash(const std::vector<std::pair<std::string, torch::Tensor>>& state);

} // namespace rankscope::trainer
