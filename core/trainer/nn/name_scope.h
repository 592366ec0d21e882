// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/trainer/libtorch.h"

namespace rankscope::trainer {

/// A module that computes nothing: the modules registered below it get its name in front of theirs, as NeMo's have it.
struct NameScopeImpl : torch::nn::Module {};

} // namespace rankscope::trainer
