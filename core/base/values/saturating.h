// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace rankscope {

/// Towards zero. A number that a file says may be of any size; to convert one that does not fit is undefined, so it
/// becomes 9e18, and NaN becomes 0.
inline std::int64_t truncated(double number) {
    return std::isnan(number) ? 0 : static_cast<std::int64_t>(std::clamp(number, -9e18, 9e18));
}

} // namespace rankscope
