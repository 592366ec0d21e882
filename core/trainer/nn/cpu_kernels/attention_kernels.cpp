// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/nn/cpu_kernels/attention_kernels.h"

#include "core/trainer/nn/cpu_kernels/vector_math.h"

#include <algorithm>

namespace rankscope::trainer::rows {
namespace {

constexpr int kLanes = 16; ///< partial results per reduction: they fix the order of summation and fill a vector

RANKSCOPE_INLINE float maximumOf(const float* __restrict x, std::int64_t n) {
    float lanes[kLanes];
    for (float& lane : lanes)
        lane = x[0];
    std::int64_t j = 0;
    for (; j + kLanes <= n; j += kLanes)
        for (int l = 0; l < kLanes; ++l)
            lanes[l] = x[j + l] > lanes[l] ? x[j + l] : lanes[l];
    float best = lanes[0];
    for (const float lane : lanes)
        best = lane > best ? lane : best;
    for (; j < n; ++j)
        best = x[j] > best ? x[j] : best;
    return best;
}

RANKSCOPE_INLINE float sumOf(const float* __restrict x, std::int64_t n) {
    float lanes[kLanes] = {};
    std::int64_t j = 0;
    for (; j + kLanes <= n; j += kLanes)
        for (int l = 0; l < kLanes; ++l)
            lanes[l] += x[j + l];
    float sum = 0;
    for (; j < n; ++j)
        sum += x[j];
    for (const float lane : lanes)
        sum += lane;
    return sum;
}

RANKSCOPE_INLINE float dotOf(const float* __restrict x, const float* __restrict y, std::int64_t n) {
    float lanes[kLanes] = {};
    std::int64_t j = 0;
    for (; j + kLanes <= n; j += kLanes)
        for (int l = 0; l < kLanes; ++l)
            lanes[l] += x[j + l] * y[j + l];
    float sum = 0;
    for (; j < n; ++j)
        sum += x[j] * y[j];
    for (const float lane : lanes)
        sum += lane;
    return sum;
}

RANKSCOPE_INLINE void softmaxBody(float* __restrict scores, const float* __restrict distances, const Keys* keys,
                                  std::int64_t batchFrames, std::int64_t time, std::int64_t first, std::int64_t last) {
    for (std::int64_t r = first; r < last; ++r) {
        const Keys seen = keys[r % batchFrames];
        float* row = scores + r * time;
        const float* shifted = distances + r * (2 * time - 1) + time - 1 - r % time;
        std::fill(row, row + seen.begin, 0.0f);
        std::fill(row + seen.end, row + time, 0.0f);
        const std::int64_t n = seen.end - seen.begin;
        if (n <= 0)
            continue;
        row += seen.begin;
        shifted += seen.begin;
        for (std::int64_t j = 0; j < n; ++j)
            row[j] += shifted[j];
        const float best = maximumOf(row, n);
        for (std::int64_t j = 0; j < n; ++j)
            row[j] = expOf(row[j] - best);
        const float scale = 1.0f / sumOf(row, n);
        for (std::int64_t j = 0; j < n; ++j)
            row[j] *= scale;
    }
}

RANKSCOPE_INLINE void gradientBody(float* __restrict dWeights, const float* __restrict weights,
                                   float* __restrict dDistances, std::int64_t time, std::int64_t first,
                                   std::int64_t last) {
    for (std::int64_t r = first; r < last; ++r) {
        float* row = dWeights + r * time;
        const float* w = weights + r * time;
        float* wide = dDistances + r * (2 * time - 1);
        const std::int64_t shift = time - 1 - r % time;
        const float mean = dotOf(row, w, time);
        std::fill(wide, wide + shift, 0.0f);
        for (std::int64_t j = 0; j < time; ++j) {
            row[j] = w[j] * (row[j] - mean);
            wide[shift + j] = row[j];
        }
        std::fill(wide + shift + time, wide + 2 * time - 1, 0.0f);
    }
}

} // namespace

RANKSCOPE_DISPATCH(softmaxRows, softmaxBody,
                   (float* scores, const float* distances, const Keys* keys, std::int64_t batchFrames,
                    std::int64_t time, std::int64_t first, std::int64_t last),
                   (scores, distances, keys, batchFrames, time, first, last))
RANKSCOPE_DISPATCH(softmaxGradientRows, gradientBody,
                   (float* dWeights, const float* weights, float* dDistances, std::int64_t time, std::int64_t first,
                    std::int64_t last),
                   (dWeights, weights, dDistances, time, first, last))

} // namespace rankscope::trainer::rows
