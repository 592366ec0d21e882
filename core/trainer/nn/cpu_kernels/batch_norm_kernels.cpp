// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/nn/cpu_kernels/batch_norm_kernels.h"

#include "core/trainer/nn/cpu_kernels/cpu_dispatch.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace rankscope::trainer {
namespace {

constexpr std::int64_t kRowsPerBlock = 256; ///< one unit of work

// sums are double: the bias gradient of a convolution before batch norm is only what rounding leaves of them

RANKSCOPE_INLINE void sumBody(const float* __restrict x, double* __restrict sum, std::int64_t rows, std::int64_t c) {
    for (std::int64_t r = 0; r < rows; ++r)
        for (std::int64_t j = 0; j < c; ++j)
            sum[j] += static_cast<double>(x[r * c + j]);
}
RANKSCOPE_DISPATCH(sumRows, sumBody, (const float* x, double* sum, std::int64_t rows, std::int64_t c),
                   (x, sum, rows, c))

RANKSCOPE_INLINE void squaresBody(const float* __restrict x, const float* __restrict mean, double* __restrict sum,
                                  std::int64_t rows, std::int64_t c) {
    for (std::int64_t r = 0; r < rows; ++r)
        for (std::int64_t j = 0; j < c; ++j) {
            const float d = x[r * c + j] - mean[j];
            sum[j] += static_cast<double>(d * d);
        }
}
RANKSCOPE_DISPATCH(sumSquares, squaresBody,
                   (const float* x, const float* mean, double* sum, std::int64_t rows, std::int64_t c),
                   (x, mean, sum, rows, c))

RANKSCOPE_INLINE void gradientSumsBody(const float* __restrict dy, const float* __restrict x,
                                       const float* __restrict mean, double* __restrict sums, std::int64_t rows,
                                       std::int64_t c) {
    for (std::int64_t r = 0; r < rows; ++r)
        for (std::int64_t j = 0; j < c; ++j) {
            sums[j] += static_cast<double>(dy[r * c + j]);
            sums[c + j] += static_cast<double>(dy[r * c + j] * (x[r * c + j] - mean[j]));
        }
}
RANKSCOPE_DISPATCH(sumGradients, gradientSumsBody,
                   (const float* dy, const float* x, const float* mean, double* sums, std::int64_t rows,
                    std::int64_t c),
                   (dy, x, mean, sums, rows, c))

RANKSCOPE_INLINE void affineBody(const float* __restrict x, float* __restrict y, const float* __restrict mean,
                                 const float* __restrict scale, const float* __restrict shift, std::int64_t rows,
                                 std::int64_t c) {
    for (std::int64_t r = 0; r < rows; ++r)
        for (std::int64_t j = 0; j < c; ++j)
            y[r * c + j] = (x[r * c + j] - mean[j]) * scale[j] + shift[j];
}
RANKSCOPE_DISPATCH(affineRows, affineBody,
                   (const float* x, float* y, const float* mean, const float* scale, const float* shift,
                    std::int64_t rows, std::int64_t c),
                   (x, y, mean, scale, shift, rows, c))

RANKSCOPE_INLINE void gradientBody(const float* __restrict dy, const float* __restrict x, float* __restrict dx,
                                   const float* __restrict mean, const float* __restrict a, const float* __restrict b,
                                   const float* __restrict scale, std::int64_t rows, std::int64_t c) {
    for (std::int64_t r = 0; r < rows; ++r)
        for (std::int64_t j = 0; j < c; ++j)
            dx[r * c + j] = (dy[r * c + j] - a[j] - (x[r * c + j] - mean[j]) * b[j]) * scale[j];
}
RANKSCOPE_DISPATCH(gradientRows, gradientBody,
                   (const float* dy, const float* x, float* dx, const float* mean, const float* a, const float* b,
                    const float* scale, std::int64_t rows, std::int64_t c),
                   (dy, x, dx, mean, a, b, scale, rows, c))

/// Sums `width` columns over all rows: blockSum(first row, rows, accumulator) per block, then across blocks. Blocks are
/// split by row number only, so the result does not depend on the thread count.
template <class BlockSum> std::vector<double> sumBlocks(std::int64_t rows, std::int64_t width, BlockSum blockSum) {
    const std::int64_t blocks = (rows + kRowsPerBlock - 1) / kRowsPerBlock;
    std::vector<double> partial(static_cast<std::size_t>(blocks * width));
    at::parallel_for(0, blocks, 1, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i)
            blockSum(i * kRowsPerBlock, std::min(kRowsPerBlock, rows - i * kRowsPerBlock), partial.data() + i * width);
    });
    std::vector<double> total(static_cast<std::size_t>(width));
    for (std::int64_t i = 0; i < blocks; ++i)
        for (std::int64_t j = 0; j < width; ++j)
            total[static_cast<std::size_t>(j)] += partial[static_cast<std::size_t>(i * width + j)];
    return total;
}

torch::Tensor toTensor(const std::vector<double>& values) {
    auto out = torch::empty({static_cast<std::int64_t>(values.size())}, torch::kFloat64);
    std::copy(values.begin(), values.end(), out.mutable_data_ptr<double>());
    return out;
}

std::int64_t rowGrain(std::int64_t channels) {
    return std::max<std::int64_t>(1, 16384 / std::max<std::int64_t>(1, channels));
}

} // namespace

std::pair<torch::Tensor, torch::Tensor> columnMoments(const torch::Tensor& x) {
    if (!x.is_cpu())
        return {x.mean(0).to(torch::kFloat64), x.var(0, false).to(torch::kFloat64)};
    const std::int64_t rows = x.size(0), c = x.size(1);
    const auto* p = x.const_data_ptr<float>();
    const auto n = static_cast<double>(std::max<std::int64_t>(rows, 1));
    const auto mean = toTensor(sumBlocks(rows, c, [&](std::int64_t first, std::int64_t count, double* sum) {
                          sumRows(p + first * c, sum, count, c);
                      })).div_(n);
    const auto rounded = mean.to(torch::kFloat32);
    const auto* m = rounded.const_data_ptr<float>();
    const auto squares = toTensor(sumBlocks(rows, c, [&](std::int64_t first, std::int64_t count, double* sum) {
                             sumSquares(p + first * c, m, sum, count, c);
                         })).div_(n);
    return {mean, squares - (mean - rounded).square()};
}

torch::Tensor columnAffine(const torch::Tensor& x, const torch::Tensor& mean, const torch::Tensor& scale,
                           const torch::Tensor& shift) {
    if (!x.is_cpu())
        return (x - mean) * scale + shift;
    auto y = torch::empty_like(x);
    const std::int64_t c = x.size(1);
    const auto *in = x.const_data_ptr<float>(), *m = mean.const_data_ptr<float>(), *s = scale.const_data_ptr<float>(),
               *b = shift.const_data_ptr<float>();
    auto* out = y.mutable_data_ptr<float>();
    at::parallel_for(0, x.size(0), rowGrain(c), [&](std::int64_t begin, std::int64_t end) {
        affineRows(in + begin * c, out + begin * c, m, s, b, end - begin, c);
    });
    return y;
}

torch::Tensor columnGradientSums(const torch::Tensor& dy, const torch::Tensor& x, const torch::Tensor& mean) {
    if (!x.is_cpu())
        return torch::cat({dy.sum(0), (dy * (x - mean)).sum(0)});
    const std::int64_t c = x.size(1);
    const auto *g = dy.const_data_ptr<float>(), *in = x.const_data_ptr<float>(), *m = mean.const_data_ptr<float>();
    return toTensor(sumBlocks(x.size(0), 2 * c, [&](std::int64_t first, std::int64_t n, double* sums) {
        sumGradients(g + first * c, in + first * c, m, sums, n, c);
    }));
}

torch::Tensor columnGradient(const torch::Tensor& dy, const torch::Tensor& x, const torch::Tensor& mean,
                             const torch::Tensor& a, const torch::Tensor& b, const torch::Tensor& scale) {
    if (!x.is_cpu())
        return (dy - a - (x - mean) * b) * scale;
    auto dx = torch::empty_like(x);
    const std::int64_t c = x.size(1);
    const auto *g = dy.const_data_ptr<float>(), *in = x.const_data_ptr<float>(), *m = mean.const_data_ptr<float>(),
               *pa = a.const_data_ptr<float>(), *pb = b.const_data_ptr<float>(), *s = scale.const_data_ptr<float>();
    auto* out = dx.mutable_data_ptr<float>();
    at::parallel_for(0, x.size(0), rowGrain(c), [&](std::int64_t begin, std::int64_t end) {
        gradientRows(g + begin * c, in + begin * c, out + begin * c, m, pa, pb, s, end - begin, c);
    });
    return dx;
}

} // namespace rankscope::trainer
