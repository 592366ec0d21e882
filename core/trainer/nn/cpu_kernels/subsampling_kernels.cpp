// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/nn/cpu_kernels/subsampling_kernels.h"

#include "core/trainer/nn/cpu_kernels/subsampling_row_kernels.h"

#include <ATen/Parallel.h>
#include <torch/autograd.h>

#include <algorithm>
#include <array>

namespace rankscope::trainer {
namespace {

using Floats = std::vector<float>;
using ThreeRows = std::array<const float*, 3>;

torch::Tensor tapsFirst2d(const torch::Tensor& weight) {
    return weight.reshape({weight.size(0), 9}).t().contiguous();
}

torch::Tensor asWeight(const torch::Tensor& taps) { // [9, C] -> [C, 1, 3, 3]
    return taps.t().to(torch::kFloat32).reshape({taps.size(1), 1, 3, 3}).contiguous();
}

/// Adds a row's float sums to the utterance's double sums and clears them: long float sums would lose digits.
void flush(Floats& row, double* total) {
    for (std::size_t i = 0; i < row.size(); ++i) {
        total[i] += static_cast<double>(row[i]);
        row[i] = 0;
    }
}

void addRows(const float* g, std::int64_t rows, std::int64_t c, float* sum) {
    for (std::int64_t r = 0; r < rows; ++r)
        for (std::int64_t j = 0; j < c; ++j)
            sum[j] += g[r * c + j];
}

/// The existing rows of a [T, width] plane; null outside [0, valid).
struct Plane {
    const float* data = nullptr;
    std::int64_t valid = 0, width = 0;

    const float* row(std::int64_t t) const { return t >= 0 && t < valid ? data + t * width : nullptr; }
    ThreeRows around(std::int64_t t) const { return {row(2 * t - 1), row(2 * t), row(2 * t + 1)}; }
    /// Output rows whose taps 0, 1 and 2 read input row t.
    ThreeRows readersOf(std::int64_t t) const {
        if (t % 2 == 0)
            return {nullptr, row(t / 2), nullptr};
        return {row((t + 1) / 2), nullptr, row((t - 1) / 2)};
    }
};

struct Sizes {
    std::int64_t batch = 0, time = 0, features = 0, channels = 0;

    std::int64_t time1() const { return strided(time); }
    std::int64_t features1() const { return strided(features); }
    std::int64_t time2() const { return strided(time1()); }
    std::int64_t features2() const { return strided(features1()); }
};

struct FirstStages : torch::autograd::Function<FirstStages> {
    static torch::Tensor forward(torch::autograd::AutogradContext* ctx, const torch::Tensor& x, const torch::Tensor& w0,
                                 const torch::Tensor& b0, const torch::Tensor& w1, const torch::Tensor& b1,
                                 const std::vector<std::int64_t>& lengths) {
        ctx->save_for_backward({x, w0, b0, w1});
        ctx->saved_data["lengths"] = lengths;
        const Sizes s{x.size(0), x.size(1), x.size(2), w0.size(0)};
        auto y = torch::empty({s.batch, s.time2(), s.features2(), s.channels}, x.options());
        const auto taps0 = tapsFirst2d(w0), taps1 = tapsFirst2d(w1);
        at::parallel_for(0, s.batch, 1, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t b = begin; b < end; ++b)
                utterance(s, planeOf(x, b, lengths), taps0.const_data_ptr<float>(), b0.const_data_ptr<float>(),
                          taps1.const_data_ptr<float>(), b1.const_data_ptr<float>(),
                          y.mutable_data_ptr<float>() + b * s.time2() * s.features2() * s.channels);
        });
        return y;
    }

    static Plane planeOf(const torch::Tensor& x, std::int64_t b, const std::vector<std::int64_t>& lengths) {
        const std::int64_t valid = std::clamp<std::int64_t>(lengths[static_cast<std::size_t>(b)], 0, x.size(1));
        return {x.const_data_ptr<float>() + b * x.size(1) * x.size(2), valid, x.size(2)};
    }

    static std::int64_t validAfter(const Plane& in) { return in.valid > 0 ? strided(in.valid) : 0; }

    static void utterance(const Sizes& s, const Plane& in, const float* w0, const float* b0, const float* w1,
                          const float* b1, float* y) {
        const std::int64_t width = s.features1() * s.channels, valid1 = validAfter(in);
        Floats ring(static_cast<std::size_t>(4 * width)); // row t of the first convolution is in slot t % 4
        const auto row = [&](std::int64_t t) -> const float* {
            return t >= 0 && t < valid1 ? ring.data() + t % 4 * width : nullptr;
        };
        std::int64_t done = 0;
        for (std::int64_t t = 0; t < s.time2(); ++t) {
            for (; done < std::min(valid1, 2 * t + 2); ++done)
                rows::firstConv(in.around(done).data(), s.features, w0, b0, ring.data() + done % 4 * width,
                                s.features1(), s.channels);
            const ThreeRows three{row(2 * t - 1), row(2 * t), row(2 * t + 1)};
            rows::depthwise(three.data(), s.features1(), w1, b1, y + t * s.features2() * s.channels, s.features2(),
                            s.channels);
        }
    }

    static torch::autograd::variable_list backward(torch::autograd::AutogradContext* ctx,
                                                   torch::autograd::variable_list grads) {
        const auto saved = ctx->get_saved_variables();
        const auto lengths = ctx->saved_data["lengths"].toIntVector();
        const auto &x = saved[0], &w0 = saved[1], &b0 = saved[2], &w1 = saved[3];
        const auto dy = grads[0].contiguous();
        const Sizes s{x.size(0), x.size(1), x.size(2), w0.size(0)};
        const auto taps0 = tapsFirst2d(w0), taps1 = tapsFirst2d(w1);
        // per utterance: 9 rows and the bias of the first convolution, then of the depthwise one
        auto sums = torch::zeros({s.batch, 20, s.channels}, torch::kFloat64);
        at::parallel_for(0, s.batch, 1, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t b = begin; b < end; ++b) {
                const Plane gradient{dy.const_data_ptr<float>() + b * s.time2() * s.features2() * s.channels, s.time2(),
                                     s.features2() * s.channels};
                utteranceBackward(s, planeOf(x, b, lengths), gradient, taps0.const_data_ptr<float>(),
                                  b0.const_data_ptr<float>(), taps1.const_data_ptr<float>(),
                                  sums.mutable_data_ptr<double>() + b * 20 * s.channels);
            }
        });
        const auto total = sums.sum(0);
        return {{},
                asWeight(total.narrow(0, 0, 9)),
                total[9].to(torch::kFloat32),
                asWeight(total.narrow(0, 10, 9)),
                total[19].to(torch::kFloat32),
                {}};
    }

    static void utteranceBackward(const Sizes& s, const Plane& in, const Plane& dy, const float* w0, const float* b0,
                                  const float* w1, double* sums) {
        const std::int64_t c = s.channels, width = s.features1() * c;
        Floats first(static_cast<std::size_t>(width)), gradient(static_cast<std::size_t>(width));
        Floats sum0(static_cast<std::size_t>(10 * c)), sum1(static_cast<std::size_t>(9 * c)),
            bias1(static_cast<std::size_t>(c));
        for (std::int64_t t = 0; t < validAfter(in); ++t) {
            const ThreeRows x = in.around(t), readers = dy.readersOf(t);
            rows::firstConv(x.data(), s.features, w0, b0, first.data(), s.features1(), c);
            rows::depthwiseBackward(readers.data(), first.data(), w1, gradient.data(), sum1.data(), s.features1(),
                                    s.features2(), c);
            for (std::size_t i = 0; i < first.size(); ++i)
                gradient[i] = first[i] <= 0 ? 0 : gradient[i]; // NaN passes, as in torch
            rows::firstConvWeights(x.data(), s.features, gradient.data(), sum0.data(), sum0.data() + 9 * c,
                                   s.features1(), c);
            flush(sum0, sums);
            flush(sum1, sums + 10 * c);
        }
        for (std::int64_t t = 0; t < dy.valid; ++t) {
            addRows(dy.row(t), s.features2(), c, bias1.data());
            flush(bias1, sums + 19 * c);
        }
    }
};

struct DepthwiseStage : torch::autograd::Function<DepthwiseStage> {
    static torch::Tensor forward(torch::autograd::AutogradContext* ctx, const torch::Tensor& x,
                                 const torch::Tensor& weight, const torch::Tensor& bias) {
        ctx->save_for_backward({x, weight});
        const std::int64_t time = x.size(1), features = x.size(2), c = x.size(3);
        auto y = torch::empty({x.size(0), strided(time), strided(features), c}, x.options());
        const auto taps = tapsFirst2d(weight);
        const std::int64_t out = y.size(1);
        at::parallel_for(0, y.size(0) * out, 16, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t i = begin; i < end; ++i) {
                const Plane in{x.const_data_ptr<float>() + i / out * time * features * c, time, features * c};
                rows::depthwise(in.around(i % out).data(), features, taps.const_data_ptr<float>(),
                                bias.const_data_ptr<float>(), y.mutable_data_ptr<float>() + i * y.size(2) * c,
                                y.size(2), c);
            }
        });
        return y;
    }

    static torch::autograd::variable_list backward(torch::autograd::AutogradContext* ctx,
                                                   torch::autograd::variable_list grads) {
        const auto saved = ctx->get_saved_variables();
        const auto &x = saved[0], &weight = saved[1];
        const auto dy = grads[0].contiguous();
        const auto taps = tapsFirst2d(weight);
        const std::int64_t batch = x.size(0), time = x.size(1), features = x.size(2), c = x.size(3);
        auto dx = torch::empty_like(x);
        auto sums = torch::zeros({batch, 9, c}, torch::kFloat64);
        at::parallel_for(0, batch, 1, [&](std::int64_t begin, std::int64_t end) {
            Floats sum(static_cast<std::size_t>(9 * c));
            for (std::int64_t b = begin; b < end; ++b) {
                const Plane gradient{dy.const_data_ptr<float>() + b * dy.size(1) * dy.size(2) * c, dy.size(1),
                                     dy.size(2) * c};
                for (std::int64_t t = 0; t < time; ++t) {
                    const std::int64_t at = (b * time + t) * features * c;
                    rows::depthwiseBackward(gradient.readersOf(t).data(), x.const_data_ptr<float>() + at,
                                            taps.const_data_ptr<float>(), dx.mutable_data_ptr<float>() + at, sum.data(),
                                            features, dy.size(2), c);
                    flush(sum, sums.mutable_data_ptr<double>() + b * 9 * c);
                }
            }
        });
        return {dx, asWeight(sums.sum(0)), dy.sum({0, 1, 2})};
    }
};

struct MaskedRelu : torch::autograd::Function<MaskedRelu> {
    static torch::Tensor forward(torch::autograd::AutogradContext* ctx, const torch::Tensor& x,
                                 const std::vector<std::int64_t>& lengths) {
        auto y = torch::empty_like(x);
        const std::int64_t plane = x.numel() / std::max<std::int64_t>(1, x.size(0)), width = x.size(2) * x.size(3);
        at::parallel_for(0, x.size(0), 1, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t b = begin; b < end; ++b) {
                const float* in = x.const_data_ptr<float>() + b * plane;
                float* out = y.mutable_data_ptr<float>() + b * plane;
                const std::int64_t n =
                    std::clamp<std::int64_t>(lengths[static_cast<std::size_t>(b)], 0, x.size(1)) * width;
                for (std::int64_t i = 0; i < n; ++i)
                    out[i] = in[i] <= 0 ? 0 : in[i]; // NaN passes, as in torch
                std::fill(out + n, out + plane, 0.0f);
            }
        });
        ctx->save_for_backward({y});
        return y;
    }

    static torch::autograd::variable_list backward(torch::autograd::AutogradContext* ctx,
                                                   torch::autograd::variable_list grads) {
        // a padded frame gave 0, so it gets no gradient either
        return {at::threshold_backward(grads[0], ctx->get_saved_variables()[0], 0), {}};
    }
};

} // namespace

torch::Tensor firstStages(const torch::Tensor& x, const torch::Tensor& w0, const torch::Tensor& b0,
                          const torch::Tensor& w1, const torch::Tensor& b1, const std::vector<std::int64_t>& lengths) {
    TORCH_CHECK(!x.requires_grad(), "firstStages gives its input no gradient");
    return FirstStages::apply(x.contiguous(), w0, b0, w1, b1, lengths);
}

torch::Tensor depthwiseStage(const torch::Tensor& x, const torch::Tensor& weight, const torch::Tensor& bias) {
    return DepthwiseStage::apply(x.contiguous(), weight, bias);
}

torch::Tensor maskedRelu(const torch::Tensor& x, const std::vector<std::int64_t>& lengths) {
    return MaskedRelu::apply(x.contiguous(), lengths);
}

} // namespace rankscope::trainer
