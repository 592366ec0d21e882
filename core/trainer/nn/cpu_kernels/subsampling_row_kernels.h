// SPDX-License-Identifier: Apache-2.0
// One row (fixed time, all features and channels) of the sub-sampling convolutions.
#pragma once

#include <cstdint>

namespace rankscope::trainer::rows {

/// Weights are [9, C]: taps in the order time, feature. Input rows that do not exist are null.

/// ReLU of the first convolution. in: three rows [F]; out [F1, C].
void firstConv(const float* const* in, std::int64_t features, const float* weight, const float* bias, float* out,
               std::int64_t outFeatures, std::int64_t channels);

/// Adds the weight gradient [9, C] and bias gradient [C] of the first convolution; gradient [F1, C].
void firstConvWeights(const float* const* in, std::int64_t features, const float* gradient, float* dWeight,
                      float* dBias, std::int64_t outFeatures, std::int64_t channels);

/// Depthwise convolution. in: three rows [F1, C]; out [F2, C].
void depthwise(const float* const* in, std::int64_t features, const float* weight, const float* bias, float* out,
               std::int64_t outFeatures, std::int64_t channels);

/// Computes the gradient of one input row [F1, C] from the output rows that read it, and its part of the weight
/// gradient [9, C]. gradients: output rows [F2, C] that read this row through time tap 0, 1, 2; null if there is none.
void depthwiseBackward(const float* const* gradients, const float* in, const float* weight, float* dIn, float* dWeight,
                       std::int64_t features, std::int64_t outFeatures, std::int64_t channels);

} // namespace rankscope::trainer::rows
