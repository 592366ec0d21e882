// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/trainer/named_tensors.h"

#include <cstdint>

namespace rankscope::trainer {

/// 64-bit hash of names, types, shapes and bytes in the given order: equal on two ranks when their states are. Some
/// GB/s; not for security.
std::uint64_t stateHash(const StateDict& state);

} // namespace rankscope::trainer
