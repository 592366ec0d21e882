// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/trainer/formats/tensors/element_type.h"
#include "core/trainer/libtorch.h"

#include <optional>

namespace rankscope::trainer {

torch::ScalarType torchType(ElementType type);
/// Returns none if no file format that we know has a name for the type.
std::optional<ElementType> elementType(torch::ScalarType type);

} // namespace rankscope::trainer
