// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/trainer/libtorch.h"

namespace rankscope::trainer {

/// What the CPU's own kernels take; anything else is left to ATen's operators.
inline bool isFloatOnCpu(const torch::Tensor& x) {
    return x.is_cpu() && x.scalar_type() == torch::kFloat32;
}

} // namespace rankscope::trainer
