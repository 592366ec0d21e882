// SPDX-License-Identifier: Apache-2.0
// Elementary functions without branches or calls, so that a loop over them becomes vector instructions.
#pragma once

#include "core/trainer/nn/cpu_kernels/cpu_dispatch.h"

#include <bit>
#include <cstdint>

namespace rankscope::trainer {

/// Returns e^x within 2 units in the last place for x in [-87, 88]; x is clamped to that interval. NaN stays NaN.
RANKSCOPE_INLINE float expOf(float x) {
    constexpr float kLog2e = 1.44269504088896341f, kRound = 12582912.0f; // 1.5 * 2^23: adding it rounds to an integer
    constexpr float kLn2High = 0.693359375f, kLn2Low = -2.12194440e-4f;
    x = x < -87.0f ? -87.0f : x;
    x = x > 88.0f ? 88.0f : x;
    const float shifted = x * kLog2e + kRound;
    const float n = shifted - kRound;
    const float r = (x - n * kLn2High) - n * kLn2Low;
    float p = 1.9875691500e-4f; // Cephes' expf
    p = p * r + 1.3981999507e-3f;
    p = p * r + 8.3334519073e-3f;
    p = p * r + 4.1665795894e-2f;
    p = p * r + 1.6666665459e-1f;
    p = p * r + 5.0000001201e-1f;
    p = p * r * r + r + 1.0f;
    const std::int32_t exponent = std::bit_cast<std::int32_t>(shifted) - std::bit_cast<std::int32_t>(kRound);
    return p * std::bit_cast<float>((exponent + 127) << 23);
}

RANKSCOPE_INLINE float sigmoidOf(float x) {
    return 1.0f / (1.0f + expOf(-x));
}

} // namespace rankscope::trainer
