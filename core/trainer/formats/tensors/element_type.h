// SPDX-License-Identifier: Apache-2.0
// What a tensor's elements are in a file, whoever wrote it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace rankscope::trainer {

enum class ElementType : std::uint8_t { F64, F32, F16, BF16, I64, I32, I16, I8, U8, Bool };

constexpr std::size_t elementBytes(ElementType type) {
    switch (type) {
    case ElementType::F64:
    case ElementType::I64:
        return 8;
    case ElementType::F32:
    case ElementType::I32:
        return 4;
    case ElementType::F16:
    case ElementType::BF16:
    case ElementType::I16:
        return 2;
    case ElementType::I8:
    case ElementType::U8:
    case ElementType::Bool:
        break;
    }
    return 1;
}

} // namespace rankscope::trainer
