// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/tensor_files/scalar_type.h"

#include <algorithm>

namespace rankscope::trainer {
namespace {

/// In the order of ElementType.
constexpr torch::ScalarType kTypes[] = {torch::kFloat64, torch::kFloat32, torch::kFloat16, torch::kBFloat16,
                                        torch::kInt64,   torch::kInt32,   torch::kInt16,   torch::kInt8,
                                        torch::kUInt8,   torch::kBool};

} // namespace

torch::ScalarType torchType(ElementType type) {
    return kTypes[static_cast<std::size_t>(type)];
}

std::optional<ElementType> elementType(torch::ScalarType type) {
    const auto* found = std::find(std::begin(kTypes), std::end(kTypes), type);
    return found == std::end(kTypes) ? std::nullopt : std::optional(static_cast<ElementType>(found - kTypes));
}

} // namespace rankscope::trainer
