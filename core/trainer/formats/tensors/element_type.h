// SPDX-License-Identifier: Apache-2.0
// The type of a tensor's elements in a file of any format.
#pragma once

#include <cstddef>
#include <cstdint>

namespace rankscope::trainer {

enum class ElementType : std::uint8_t { F64, F32, F16, BF16, I64, I32, I16, I8, U8, Bool };

constexpr std::size_t elementBytes(ElementType type) {
    constexpr std::size_t kBytes[] = {8, 4, 2, 2, 8, 4, 2, 1, 1, 1};
    return kBytes[static_cast<std::size_t>(type)];
}

} // namespace rankscope::trainer
