// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/observer/c10d/call_observer.h"

#include <torch/library.h>

namespace rankscope::observer {

/// Registers a typed kernel if the operator is one that training calls in each step. Such a kernel does what
/// ObservingKernel does, but receives C++ arguments: converting them to IValues and back would cost more than
/// everything else. Returns false for any other operator, and if the signature is different in this version of PyTorch.
bool registerTyped(torch::Library& library, const c10::OperatorHandle& op, KernelState& state);

} // namespace rankscope::observer
