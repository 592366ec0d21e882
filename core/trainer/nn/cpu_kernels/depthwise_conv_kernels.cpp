// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/nn/cpu_kernels/depthwise_conv_kernels.h"

#include "core/trainer/nn/cpu_kernels/cpu_dispatch.h"

#include <ATen/Parallel.h>
#include <torch/autograd.h>

#include <algorithm>

namespace rankscope::trainer {
namespace {

struct Geometry {
    std::int64_t batch = 0, in = 0, out = 0, channels = 0, kernel = 0, left = 0;
};

/// The taps k of output frame t that read a valid input frame t + k - left.
struct Taps {
    std::int64_t begin = 0, end = 0;
};

RANKSCOPE_INLINE Taps tapsOf(std::int64_t t, std::int64_t left, std::int64_t kernel, std::int64_t valid) {
    return {std::max<std::int64_t>(0, left - t), std::min(kernel, valid + left - t)};
}

// weights are [K, C], so that every inner loop runs over neighboring channels

RANKSCOPE_INLINE void forwardBody(const float* __restrict x, const float* __restrict w, const float* __restrict bias,
                                  float* __restrict y, const Geometry& g, std::int64_t valid) {
    const std::int64_t c = g.channels;
    for (std::int64_t t = 0; t < g.out; ++t) {
        float* row = y + t * c;
        std::copy_n(bias, c, row);
        const Taps taps = tapsOf(t, g.left, g.kernel, valid);
        for (std::int64_t k = taps.begin; k < taps.end; ++k) {
            const float* in = x + (t + k - g.left) * c;
            const float* tap = w + k * c;
            for (std::int64_t j = 0; j < c; ++j)
                row[j] += in[j] * tap[j];
        }
    }
}
RANKSCOPE_DISPATCH(forwardUtterance, forwardBody,
                   (const float* x, const float* w, const float* bias, float* y, const Geometry& g, std::int64_t valid),
                   (x, w, bias, y, g, valid))

/// dx must be 0 on entry; gradients are added to dw [K, C] and dBias [C]. dBias is a sum of large terms that nearly
/// cancel if a batch norm follows: it is double, as float rounding noise would exceed the remainder.
RANKSCOPE_INLINE void backwardBody(const float* __restrict x, const float* __restrict w, const float* __restrict dy,
                                   float* __restrict dx, float* __restrict dw, double* __restrict dBias,
                                   const Geometry& g, std::int64_t valid) {
    const std::int64_t c = g.channels;
    for (std::int64_t t = 0; t < g.out; ++t) {
        const float* grad = dy + t * c;
        for (std::int64_t j = 0; j < c; ++j)
            dBias[j] += static_cast<double>(grad[j]);
        const Taps taps = tapsOf(t, g.left, g.kernel, valid);
        for (std::int64_t k = taps.begin; k < taps.end; ++k) {
            const float* in = x + (t + k - g.left) * c;
            float* out = dx + (t + k - g.left) * c;
            const float* tap = w + k * c;
            float* dTap = dw + k * c;
            for (std::int64_t j = 0; j < c; ++j) {
                out[j] += grad[j] * tap[j];
                dTap[j] += grad[j] * in[j];
            }
        }
    }
}
RANKSCOPE_DISPATCH(backwardUtterance, backwardBody,
                   (const float* x, const float* w, const float* dy, float* dx, float* dw, double* dBias,
                    const Geometry& g, std::int64_t valid),
                   (x, w, dy, dx, dw, dBias, g, valid))

Geometry geometryOf(const torch::Tensor& x, const torch::Tensor& weight, std::int64_t left, std::int64_t right) {
    const std::int64_t kernel = weight.size(2);
    return {x.size(0), x.size(1), x.size(1) + left + right - kernel + 1, x.size(2), kernel, left};
}

torch::Tensor tapsFirst1d(const torch::Tensor& weight) {
    return weight.squeeze(1).t().contiguous();
} // [K, C]

struct DepthwiseFunction : torch::autograd::Function<DepthwiseFunction> {
    static torch::Tensor forward(torch::autograd::AutogradContext* ctx, const torch::Tensor& x,
                                 const torch::Tensor& weight, const torch::Tensor& bias, std::int64_t left,
                                 std::int64_t right, const std::vector<std::int64_t>& lengths) {
        ctx->save_for_backward({x, weight});
        ctx->saved_data["left"] = left;
        ctx->saved_data["right"] = right;
        ctx->saved_data["lengths"] = lengths;
        const Geometry g = geometryOf(x, weight, left, right);
        const auto w = tapsFirst1d(weight);
        auto y = torch::empty({g.batch, g.out, g.channels}, x.options());
        const auto *in = x.const_data_ptr<float>(), *taps = w.const_data_ptr<float>();
        const auto* b = bias.const_data_ptr<float>();
        auto* out = y.mutable_data_ptr<float>();
        at::parallel_for(0, g.batch, 1, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t i = begin; i < end; ++i)
                forwardUtterance(in + i * g.in * g.channels, taps, b, out + i * g.out * g.channels, g,
                                 std::clamp<std::int64_t>(lengths[static_cast<std::size_t>(i)], 0, g.in));
        });
        return y;
    }

    static torch::autograd::variable_list backward(torch::autograd::AutogradContext* ctx,
                                                   torch::autograd::variable_list grads) {
        const auto saved = ctx->get_saved_variables();
        const auto lengths = ctx->saved_data["lengths"].toIntVector();
        const torch::Tensor &x = saved[0], &weight = saved[1];
        const auto dy = grads[0].contiguous();
        const Geometry g = geometryOf(x, weight, ctx->saved_data["left"].toInt(), ctx->saved_data["right"].toInt());
        const auto w = tapsFirst1d(weight);
        auto dx = torch::zeros_like(x);
        // one accumulator per utterance, so that the sum does not depend on the thread count
        auto dw = torch::zeros({g.batch, g.kernel, g.channels}, x.options());
        auto dBias = torch::zeros({g.batch, g.channels}, torch::kFloat64);
        const auto *in = x.const_data_ptr<float>(), *taps = w.const_data_ptr<float>(),
                   *grad = dy.const_data_ptr<float>();
        auto *out = dx.mutable_data_ptr<float>(), *dTaps = dw.mutable_data_ptr<float>();
        auto* biasSums = dBias.mutable_data_ptr<double>();
        at::parallel_for(0, g.batch, 1, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t i = begin; i < end; ++i)
                backwardUtterance(in + i * g.in * g.channels, taps, grad + i * g.out * g.channels,
                                  out + i * g.in * g.channels, dTaps + i * g.kernel * g.channels,
                                  biasSums + i * g.channels, g,
                                  std::clamp<std::int64_t>(lengths[static_cast<std::size_t>(i)], 0, g.in));
        });
        const auto dWeight = dw.sum(0).t().contiguous().unsqueeze(1); // [C, 1, K]
        return {dx, dWeight, dBias.sum(0).to(torch::kFloat32), {}, {}, {}};
    }
};

} // namespace

torch::Tensor paddedFrames(const std::vector<std::int64_t>& lengths, std::int64_t frames, const torch::Device& device) {
    const auto n = torch::tensor(lengths, torch::kInt64).to(device);
    return torch::arange(frames, n.options()).unsqueeze(0) >= n.unsqueeze(1);
}

torch::Tensor depthwiseConv(const torch::Tensor& x, const torch::Tensor& weight, const torch::Tensor& bias,
                            std::int64_t left, std::int64_t right, const std::vector<std::int64_t>& lengths) {
    const bool mixed = at::isReducedFloatingType(x.scalar_type()); // under autocast: the loops take float32
    if (x.is_cpu() && (mixed || x.scalar_type() == torch::kFloat32))
        return DepthwiseFunction::apply(x.to(torch::kFloat32).contiguous(), weight,
                                        bias.defined() ? bias : torch::zeros({weight.size(0)}, weight.options()), left,
                                        right, lengths);
    auto in = x.masked_fill(paddedFrames(lengths, x.size(1), x.device()).unsqueeze(-1), 0).transpose(1, 2);
    in = torch::constant_pad_nd(in, {left, right}, 0); // [B, C, T + left + right]
    const std::int64_t zero = 0;
    return torch::conv1d(in, weight, bias, 1, zero, 1, weight.size(0)).transpose(1, 2);
}

} // namespace rankscope::trainer
