// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/observer/c10d/call_observer.h"

#include <torch/library.h>

namespace rankscope::observer {

/// Registers the kernel of an operator that training calls in each step, if it is one. Such a kernel does what
/// ObservingKernel does, but gets the arguments as C++ has them: to turn them into IValues and back would cost more
/// than everything else. Returns false if the operator is another one, or has another signature in this version of
/// PyTorch.
bool registerTyped(torch::Library& library, const c10::OperatorHandle& op, KernelState& state);

} // namespace rankscope::observer
