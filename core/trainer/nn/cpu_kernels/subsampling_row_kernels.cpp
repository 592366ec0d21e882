// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/nn/cpu_kernels/subsampling_row_kernels.h"

#include "core/trainer/nn/cpu_kernels/cpu_dispatch.h"

#include <algorithm>

namespace rankscope::trainer::rows {
namespace {

constexpr int kTile = 4; ///< output features that share a load of the weights

/// The nine inputs of output feature f, 0 outside.
RANKSCOPE_INLINE void patch(const float* const* in, std::int64_t features, std::int64_t f, float* v) {
    for (int dt = 0; dt < 3; ++dt)
        for (int df = 0; df < 3; ++df) {
            const std::int64_t at = 2 * f + df - 1;
            v[dt * 3 + df] = in[dt] && at >= 0 && at < features ? in[dt][at] : 0.0f;
        }
}

RANKSCOPE_INLINE void firstConvBody(const float* const* in, std::int64_t features, const float* __restrict weight,
                                    const float* __restrict bias, float* __restrict out, std::int64_t outFeatures,
                                    std::int64_t c) {
    std::int64_t f = 0;
    for (; f + kTile <= outFeatures; f += kTile) {
        float v[kTile][9];
        for (int i = 0; i < kTile; ++i)
            patch(in, features, f + i, v[i]);
        float* __restrict y = out + f * c;
        for (std::int64_t j = 0; j < c; ++j) {
            float s0 = bias[j], s1 = s0, s2 = s0, s3 = s0;
#pragma GCC unroll 9
            for (int k = 0; k < 9; ++k) {
                const float w = weight[k * c + j];
                s0 += v[0][k] * w;
                s1 += v[1][k] * w;
                s2 += v[2][k] * w;
                s3 += v[3][k] * w;
            }
            y[j] = s0 <= 0 ? 0 : s0;
            y[c + j] = s1 <= 0 ? 0 : s1;
            y[2 * c + j] = s2 <= 0 ? 0 : s2;
            y[3 * c + j] = s3 <= 0 ? 0 : s3;
        }
    }
    for (; f < outFeatures; ++f) {
        float v[9];
        patch(in, features, f, v);
        for (std::int64_t j = 0; j < c; ++j) {
            float s = bias[j];
#pragma GCC unroll 9
            for (int k = 0; k < 9; ++k)
                s += v[k] * weight[k * c + j];
            out[f * c + j] = s <= 0 ? 0 : s;
        }
    }
}

RANKSCOPE_INLINE void firstConvWeightsBody(const float* const* in, std::int64_t features,
                                           const float* __restrict gradient, float* __restrict dWeight,
                                           float* __restrict dBias, std::int64_t outFeatures, std::int64_t c) {
    std::int64_t f = 0;
    for (; f + kTile <= outFeatures; f += kTile) {
        float v[kTile][9];
        for (int i = 0; i < kTile; ++i)
            patch(in, features, f + i, v[i]);
        const float* __restrict g = gradient + f * c;
        for (std::int64_t j = 0; j < c; ++j) {
            const float g0 = g[j], g1 = g[c + j], g2 = g[2 * c + j], g3 = g[3 * c + j];
            dBias[j] += (g0 + g1) + (g2 + g3);
#pragma GCC unroll 9
            for (int k = 0; k < 9; ++k)
                dWeight[k * c + j] += (v[0][k] * g0 + v[1][k] * g1) + (v[2][k] * g2 + v[3][k] * g3);
        }
    }
    for (; f < outFeatures; ++f) {
        float v[9];
        patch(in, features, f, v);
        for (std::int64_t j = 0; j < c; ++j) {
            const float g = gradient[f * c + j];
            dBias[j] += g;
#pragma GCC unroll 9
            for (int k = 0; k < 9; ++k)
                dWeight[k * c + j] += v[k] * g;
        }
    }
}

RANKSCOPE_INLINE void depthwiseBody(const float* const* in, std::int64_t features, const float* __restrict weight,
                                    const float* __restrict bias, float* __restrict out, std::int64_t outFeatures,
                                    std::int64_t c) {
    for (std::int64_t f = 0; f < outFeatures; ++f) {
        float* __restrict y = out + f * c;
        std::copy_n(bias, c, y);
        for (int dt = 0; dt < 3; ++dt) {
            if (!in[dt])
                continue;
            for (int df = 0; df < 3; ++df) {
                const std::int64_t at = 2 * f + df - 1;
                if (at < 0 || at >= features)
                    continue;
                const float* __restrict x = in[dt] + at * c;
                const float* __restrict w = weight + (dt * 3 + df) * c;
                for (std::int64_t j = 0; j < c; ++j)
                    y[j] += x[j] * w[j];
            }
        }
    }
}

RANKSCOPE_INLINE void depthwiseBackwardBody(const float* const* gradients, const float* __restrict in,
                                            const float* __restrict weight, float* __restrict dIn,
                                            float* __restrict dWeight, std::int64_t features, std::int64_t outFeatures,
                                            std::int64_t c) {
    std::fill_n(dIn, features * c, 0.0f);
    for (int dt = 0; dt < 3; ++dt) {
        if (!gradients[dt])
            continue;
        for (std::int64_t f = 0; f < outFeatures; ++f) {
            const float* __restrict g = gradients[dt] + f * c;
            for (int df = 0; df < 3; ++df) {
                const std::int64_t at = 2 * f + df - 1;
                if (at < 0 || at >= features)
                    continue;
                const float* __restrict x = in + at * c;
                const float* __restrict w = weight + (dt * 3 + df) * c;
                float* __restrict dx = dIn + at * c;
                float* __restrict dw = dWeight + (dt * 3 + df) * c;
                for (std::int64_t j = 0; j < c; ++j) {
                    dx[j] += g[j] * w[j];
                    dw[j] += g[j] * x[j];
                }
            }
        }
    }
}

} // namespace

RANKSCOPE_DISPATCH(firstConv, firstConvBody,
                   (const float* const* in, std::int64_t features, const float* weight, const float* bias, float* out,
                    std::int64_t outFeatures, std::int64_t channels),
                   (in, features, weight, bias, out, outFeatures, channels))
RANKSCOPE_DISPATCH(firstConvWeights, firstConvWeightsBody,
                   (const float* const* in, std::int64_t features, const float* gradient, float* dWeight, float* dBias,
                    std::int64_t outFeatures, std::int64_t channels),
                   (in, features, gradient, dWeight, dBias, outFeatures, channels))
RANKSCOPE_DISPATCH(depthwise, depthwiseBody,
                   (const float* const* in, std::int64_t features, const float* weight, const float* bias, float* out,
                    std::int64_t outFeatures, std::int64_t channels),
                   (in, features, weight, bias, out, outFeatures, channels))
RANKSCOPE_DISPATCH(depthwiseBackward, depthwiseBackwardBody,
                   (const float* const* gradients, const float* in, const float* weight, float* dIn, float* dWeight,
                    std::int64_t features, std::int64_t outFeatures, std::int64_t channels),
                   (gradients, in, weight, dIn, dWeight, features, outFeatures, channels))

} // namespace rankscope::trainer::rows
