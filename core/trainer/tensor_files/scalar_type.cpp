// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/tensor_files/scalar_type.h"

#include <utility>

namespace rankscope::trainer {

namespace {

constexpr std::pair<ElementType, torch::ScalarType> kTypes[] = {
    {ElementType::F64, torch::kFloat64},   {ElementType::F32, torch::kFloat32}, {ElementType::F16, torch::kFloat16},
    {ElementType::BF16, torch::kBFloat16}, {ElementType::I64, torch::kInt64},   {ElementType::I32, torch::kInt32},
    {ElementType::I16, torch::kInt16},     {ElementType::I8, torch::kInt8},     {ElementType::U8, torch::kUInt8},
    {ElementType::Bool, torch::kBool}};

} // namespace

torch::ScalarType torchType(ElementType type) {
    for (const auto& [ours, theirs] : kTypes)
        if (ours == type)
            return theirs;
    return torch::kUInt8; // no other is there
}

std::optional<ElementType> elementType(torch::ScalarType type) {
    for (const auto& [ours, theirs] : kTypes)
        if (theirs == type)
            return ours;
    return std::nullopt;
}

} // namespace rankscope::trainer
