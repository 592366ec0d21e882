// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace rankscope {

/// Rounds towards zero. Numbers from files may have any size, and converting one that does not fit is undefined; such a
/// number becomes 9e18 or -9e18, and NaN becomes 0.
inline std::int64_t saturatingInt64(double number) {
    return std::isnan(number) ? 0 : static_cast<std::int64_t>(std::clamp(number, -9e18, 9e18));
}

} // namespace rankscope
