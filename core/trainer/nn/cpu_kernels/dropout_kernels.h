// SPDX-License-Identifier: Apache-2.0
// Dropout fused with the operations next to it. float32 on the CPU runs in one pass; everything else by ATen
// operations, with torch's own dropout. p 0: no dropout and no random number.
#pragma once

#include "core/trainer/libtorch.h"
#include "core/trainer/nn/cpu_kernels/cpu_dispatch.h"

#include <cstdint>

namespace rankscope::trainer {

/// Whether our CPU kernels handle this tensor; anything else is left to ATen's operators.
inline bool isFloatOnCpu(const torch::Tensor& x) {
    return x.is_cpu() && x.scalar_type() == torch::kFloat32;
}

/// Which elements a dropout keeps. Drawing one random number per element costs a tenth of a training step; here each
/// call takes one seed from torch's generator, from which a counter-based generator derives the elements' bits. So
/// nothing is stored for backward, the result does not depend on the thread count, and a restored generator state
/// restores every mask.
struct DropoutMask {
    std::uint64_t seed = 0;
    std::uint32_t threshold = 0; ///< an element is kept if its 16 bits are not below it; 0: all are kept
    float scale = 1;             ///< kept elements are multiplied by 2^16 / (2^16 - threshold), so that the expectation
                                 ///< is exact

    bool all() const { return threshold == 0; }

    /// Stores the mask for backward in the data of an autograd function.
    template <class Data> void store(Data& data) const {
        data["seed"] = static_cast<std::int64_t>(seed);
        data["threshold"] = static_cast<std::int64_t>(threshold);
        data["scale"] = static_cast<double>(scale);
    }
    template <class Data> static DropoutMask load(Data& data) {
        return {static_cast<std::uint64_t>(data["seed"].toInt()), static_cast<std::uint32_t>(data["threshold"].toInt()),
                static_cast<float>(data["scale"].toDouble())};
    }
};

/// Takes one number from torch's default CPU generator when p > 0. p in [0, 1).
DropoutMask drawDropout(double p);

/// While an instance exists in this process, every dropout is drawn as torch draws it on the CPU, one number per
/// element in NeMo's layout: a seed then drops the same elements on any device as in NeMo on the CPU. For verification;
/// a training step takes longer.
class TorchDropout {
public:
    TorchDropout();
    ~TorchDropout();
    TorchDropout(const TorchDropout&) = delete;
    TorchDropout& operator=(const TorchDropout&) = delete;
};
bool drawsAsTorch();

/// torch::dropout, drawn on the CPU while a TorchDropout exists.
torch::Tensor torchDropout(const torch::Tensor& x, double p);

/// Returns x with each element set to 0 with probability p, else divided by 1 - p.
torch::Tensor dropped(const torch::Tensor& x, double p);

/// residual + factor * dropped(x, p); equal shapes.
torch::Tensor addDropped(const torch::Tensor& residual, const torch::Tensor& x, double p, double factor);

/// dropped(silu(x), p)
torch::Tensor siluDropped(const torch::Tensor& x, double p);

/// x times the factors of its elements, without gradient; x float32 on the CPU, contiguous.
torch::Tensor scaledBy(const DropoutMask& mask, const torch::Tensor& x, float factor = 1.0f);

/// Elements are drawn in chunks of this many; element i is in chunk i / kDropoutChunk.
inline constexpr std::int64_t kDropoutChunk = 512;

RANKSCOPE_INLINE std::uint32_t rotated(std::uint32_t x, int by) {
    return (x << by) | (x >> (32 - by));
}

/// Threefry4x32 with 12 rounds (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", 2011): it uses only
/// additions, rotations and exclusive ors, so that it vectorizes. keep[j] becomes scale or 0 for element j of the
/// chunk.
RANKSCOPE_INLINE void keepOfChunk(const DropoutMask& mask, std::int64_t chunk, float scale, float* __restrict keep) {
    constexpr int kBlocks = static_cast<int>(kDropoutChunk) / 8; // of four words, each of two elements
    const std::uint32_t k0 = static_cast<std::uint32_t>(mask.seed), k1 = static_cast<std::uint32_t>(mask.seed >> 32);
    const std::uint32_t k2 = 0, k3 = 0, k4 = 0x1BD11BDAU ^ k0 ^ k1;
    const std::uint32_t chunkLow = static_cast<std::uint32_t>(chunk),
                        chunkHigh = static_cast<std::uint32_t>(chunk >> 32);
    for (int i = 0; i < kBlocks; ++i) {
        std::uint32_t x0 = static_cast<std::uint32_t>(i) + k0, x1 = k1, x2 = chunkLow + k2, x3 = chunkHigh + k3;
        const auto even = [&](int r, int q) __attribute__((always_inline)) {
            x0 += x1, x1 = rotated(x1, r) ^ x0;
            x2 += x3, x3 = rotated(x3, q) ^ x2;
        };
        const auto odd = [&](int r, int q) __attribute__((always_inline)) {
            x0 += x3, x3 = rotated(x3, r) ^ x0;
            x2 += x1, x1 = rotated(x1, q) ^ x2;
        };
        even(10, 26), odd(11, 21), even(13, 27), odd(23, 5);
        x0 += k1, x1 += k2, x2 += k3, x3 += k4 + 1;
        even(6, 20), odd(17, 11), even(25, 10), odd(18, 20);
        x0 += k2, x1 += k3, x2 += k4, x3 += k0 + 2;
        even(10, 26), odd(11, 21), even(13, 27), odd(23, 5);
        x0 += k3, x1 += k4, x2 += k0, x3 += k1 + 3;
        const std::uint32_t threshold = mask.threshold;
        keep[i] = (x0 & 0xFFFFU) >= threshold ? scale : 0.0f;
        keep[kBlocks + i] = (x0 >> 16) >= threshold ? scale : 0.0f;
        keep[2 * kBlocks + i] = (x1 & 0xFFFFU) >= threshold ? scale : 0.0f;
        keep[3 * kBlocks + i] = (x1 >> 16) >= threshold ? scale : 0.0f;
        keep[4 * kBlocks + i] = (x2 & 0xFFFFU) >= threshold ? scale : 0.0f;
        keep[5 * kBlocks + i] = (x2 >> 16) >= threshold ? scale : 0.0f;
        keep[6 * kBlocks + i] = (x3 & 0xFFFFU) >= threshold ? scale : 0.0f;
        keep[7 * kBlocks + i] = (x3 >> 16) >= threshold ? scale : 0.0f;
    }
}

} // namespace rankscope::trainer
