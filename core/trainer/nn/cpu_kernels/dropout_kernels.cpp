// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/nn/cpu_kernels/dropout_kernels.h"

#include "core/trainer/nn/cpu_kernels/vector_math.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Parallel.h>
#include <torch/autograd.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>

namespace rankscope::trainer {
namespace {

std::atomic<int> g_asTorch{0};

constexpr std::int64_t kGrain = 32; ///< fewest chunks worth a thread

/// Computes the chunk's factors; keep has kDropoutChunk elements. Nothing is drawn if all elements are kept.
RANKSCOPE_INLINE void factorsOf(const DropoutMask& mask, std::int64_t at, float factor, float* keep) {
    if (mask.threshold != 0)
        keepOfChunk(mask, at / kDropoutChunk, mask.scale * factor, keep);
    else
        std::fill_n(keep, kDropoutChunk, factor);
}

// Each body works on elements [begin, end); begin is a multiple of kDropoutChunk.

RANKSCOPE_INLINE void scaleBody(const float* __restrict x, float* __restrict y, const DropoutMask& mask, float factor,
                                std::int64_t begin, std::int64_t end) {
    float keep[kDropoutChunk];
    for (std::int64_t at = begin; at < end; at += kDropoutChunk) {
        factorsOf(mask, at, factor, keep);
        const std::int64_t n = std::min(kDropoutChunk, end - at);
        for (std::int64_t i = 0; i < n; ++i)
            y[at + i] = x[at + i] * keep[i];
    }
}
RANKSCOPE_DISPATCH(scaleElements, scaleBody,
                   (const float* x, float* y, const DropoutMask& mask, float factor, std::int64_t begin,
                    std::int64_t end),
                   (x, y, mask, factor, begin, end))

RANKSCOPE_INLINE void addBody(const float* __restrict residual, const float* __restrict x, float* __restrict y,
                              const DropoutMask& mask, float factor, std::int64_t begin, std::int64_t end) {
    float keep[kDropoutChunk];
    for (std::int64_t at = begin; at < end; at += kDropoutChunk) {
        factorsOf(mask, at, factor, keep);
        const std::int64_t n = std::min(kDropoutChunk, end - at);
        for (std::int64_t i = 0; i < n; ++i)
            y[at + i] = residual[at + i] + x[at + i] * keep[i];
    }
}
RANKSCOPE_DISPATCH(addElements, addBody,
                   (const float* residual, const float* x, float* y, const DropoutMask& mask, float factor,
                    std::int64_t begin, std::int64_t end),
                   (residual, x, y, mask, factor, begin, end))

RANKSCOPE_INLINE void siluBody(const float* __restrict x, float* __restrict y, const DropoutMask& mask,
                               std::int64_t begin, std::int64_t end) {
    float keep[kDropoutChunk];
    for (std::int64_t at = begin; at < end; at += kDropoutChunk) {
        factorsOf(mask, at, 1.0f, keep);
        const std::int64_t n = std::min(kDropoutChunk, end - at);
        for (std::int64_t i = 0; i < n; ++i)
            y[at + i] = x[at + i] * sigmoidOf(x[at + i]) * keep[i];
    }
}
RANKSCOPE_DISPATCH(siluElements, siluBody,
                   (const float* x, float* y, const DropoutMask& mask, std::int64_t begin, std::int64_t end),
                   (x, y, mask, begin, end))

RANKSCOPE_INLINE void siluGradientBody(const float* __restrict x, const float* __restrict dy, float* __restrict dx,
                                       const DropoutMask& mask, std::int64_t begin, std::int64_t end) {
    float keep[kDropoutChunk];
    for (std::int64_t at = begin; at < end; at += kDropoutChunk) {
        factorsOf(mask, at, 1.0f, keep);
        const std::int64_t n = std::min(kDropoutChunk, end - at);
        for (std::int64_t i = 0; i < n; ++i) {
            const float s = sigmoidOf(x[at + i]);
            dx[at + i] = dy[at + i] * keep[i] * (s * (1.0f + x[at + i] * (1.0f - s)));
        }
    }
}
RANKSCOPE_DISPATCH(siluGradientElements, siluGradientBody,
                   (const float* x, const float* dy, float* dx, const DropoutMask& mask, std::int64_t begin,
                    std::int64_t end),
                   (x, dy, dx, mask, begin, end))

/// Runs work(begin, end) over n elements, split between chunks.
template <class Work> void overChunks(std::int64_t n, Work work) {
    const std::int64_t chunks = (n + kDropoutChunk - 1) / kDropoutChunk;
    at::parallel_for(0, chunks, kGrain, [&](std::int64_t begin, std::int64_t end) {
        work(begin * kDropoutChunk, std::min(n, end * kDropoutChunk));
    });
}

struct Dropped : torch::autograd::Function<Dropped> {
    static torch::Tensor forward(torch::autograd::AutogradContext* ctx, const torch::Tensor& x,
                                 const DropoutMask& mask) {
        mask.store(ctx->saved_data);
        return scaledBy(mask, x);
    }
    static torch::autograd::variable_list backward(torch::autograd::AutogradContext* ctx,
                                                   torch::autograd::variable_list grads) {
        return {scaledBy(DropoutMask::load(ctx->saved_data), grads[0].contiguous()), {}};
    }
};

struct AddDropped : torch::autograd::Function<AddDropped> {
    static torch::Tensor forward(torch::autograd::AutogradContext* ctx, const torch::Tensor& residual,
                                 const torch::Tensor& x, const DropoutMask& mask, double factor) {
        mask.store(ctx->saved_data);
        ctx->saved_data["factor"] = factor;
        auto y = torch::empty_like(x);
        const auto *base = residual.const_data_ptr<float>(), *in = x.const_data_ptr<float>();
        auto* out = y.mutable_data_ptr<float>();
        overChunks(x.numel(), [&](std::int64_t begin, std::int64_t end) {
            addElements(base, in, out, mask, static_cast<float>(factor), begin, end);
        });
        return y;
    }
    static torch::autograd::variable_list backward(torch::autograd::AutogradContext* ctx,
                                                   torch::autograd::variable_list grads) {
        const auto factor = static_cast<float>(ctx->saved_data["factor"].toDouble());
        return {grads[0], scaledBy(DropoutMask::load(ctx->saved_data), grads[0].contiguous(), factor), {}, {}};
    }
};

struct SiluDropped : torch::autograd::Function<SiluDropped> {
    static torch::Tensor forward(torch::autograd::AutogradContext* ctx, const torch::Tensor& x,
                                 const DropoutMask& mask) {
        mask.store(ctx->saved_data);
        ctx->save_for_backward({x});
        auto y = torch::empty_like(x);
        const auto* in = x.const_data_ptr<float>();
        auto* out = y.mutable_data_ptr<float>();
        overChunks(x.numel(), [&](std::int64_t begin, std::int64_t end) { siluElements(in, out, mask, begin, end); });
        return y;
    }
    static torch::autograd::variable_list backward(torch::autograd::AutogradContext* ctx,
                                                   torch::autograd::variable_list grads) {
        const auto x = ctx->get_saved_variables()[0], dy = grads[0].contiguous();
        const DropoutMask mask = DropoutMask::load(ctx->saved_data);
        auto dx = torch::empty_like(x);
        const auto *in = x.const_data_ptr<float>(), *gradient = dy.const_data_ptr<float>();
        auto* out = dx.mutable_data_ptr<float>();
        overChunks(x.numel(), [&](std::int64_t begin, std::int64_t end) {
            siluGradientElements(in, gradient, out, mask, begin, end);
        });
        return {dx, {}};
    }
};

} // namespace

TorchDropout::TorchDropout() {
    ++g_asTorch;
}

TorchDropout::~TorchDropout() {
    --g_asTorch;
}

bool drawsAsTorch() {
    return g_asTorch.load(std::memory_order_relaxed) > 0;
}

torch::Tensor torchDropout(const torch::Tensor& x, double p) {
    if (p <= 0 || x.is_cpu() || !drawsAsTorch())
        return torch::dropout(x, p, p > 0);
    const auto keep = torch::empty_like(x, x.options().device(torch::kCPU)).bernoulli_(1 - p).div_(1 - p);
    return x * keep.to(x.device());
}

DropoutMask drawDropout(double p) {
    TORCH_CHECK(p >= 0 && p < 1, "dropout must be from 0 to below 1, not ", p);
    constexpr double kAll = 65536;
    DropoutMask mask;
    mask.threshold = static_cast<std::uint32_t>(std::min(std::lround(p * kAll), 65535L));
    if (mask.all())
        return mask;
    mask.scale = static_cast<float>(kAll / (kAll - mask.threshold));
    auto generator = at::detail::getDefaultCPUGenerator();
    const std::lock_guard lock(generator.mutex());
    mask.seed = at::check_generator<at::CPUGeneratorImpl>(generator)->random64();
    return mask;
}

torch::Tensor scaledBy(const DropoutMask& mask, const torch::Tensor& x, float factor) {
    auto y = torch::empty_like(x);
    const auto* in = x.const_data_ptr<float>();
    auto* out = y.mutable_data_ptr<float>();
    overChunks(x.numel(),
               [&](std::int64_t begin, std::int64_t end) { scaleElements(in, out, mask, factor, begin, end); });
    return y;
}

torch::Tensor dropped(const torch::Tensor& x, double p) {
    if (p <= 0)
        return x;
    if (!isFloatOnCpu(x) || drawsAsTorch())
        return torchDropout(x, p);
    return Dropped::apply(x.contiguous(), drawDropout(p));
}

torch::Tensor addDropped(const torch::Tensor& residual, const torch::Tensor& x, double p, double factor) {
    if ((p > 0 && drawsAsTorch()) || !isFloatOnCpu(x) || !isFloatOnCpu(residual) || residual.sizes() != x.sizes())
        return torch::add(residual, torchDropout(x, p), factor);
    return AddDropped::apply(residual.contiguous(), x.contiguous(), drawDropout(p), factor);
}

torch::Tensor siluDropped(const torch::Tensor& x, double p) {
    if ((p > 0 && drawsAsTorch()) || !isFloatOnCpu(x))
        return torchDropout(torch::silu(x), p);
    return SiluDropped::apply(x.contiguous(), drawDropout(p));
}

} // namespace rankscope::trainer
