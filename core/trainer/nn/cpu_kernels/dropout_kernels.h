// SPDX-License-Identifier: Apache-2.0
// Dropout together with what stands beside it. float32 on the CPU runs in one pass; all else by ATen operations, with
// torch's own dropout. p 0: no dropout and no random number.
#pragma once

#include "core/trainer/libtorch.h"
#include "core/trainer/nn/cpu_kernels/dropout_mask.h"

namespace rankscope::trainer {

/// While one lives, in this process, every dropout is drawn as torch draws it on the CPU, one number an element in
/// NeMo's layout: then one seed drops on any device what it drops in NeMo on the CPU. For verification; a training step
/// takes longer.
class TorchDropout {
public:
    TorchDropout();
    ~TorchDropout();
    TorchDropout(const TorchDropout&) = delete;
    TorchDropout& operator=(const TorchDropout&) = delete;
};
bool drawsAsTorch();

/// torch::dropout, drawn on the CPU while a TorchDropout lives.
torch::Tensor torchDropout(const torch::Tensor& x, double p);

/// x with each element 0 with probability p, else divided by 1 - p.
torch::Tensor dropped(const torch::Tensor& x, double p);

/// residual + factor * dropped(x, p); equal shapes.
torch::Tensor addDropped(const torch::Tensor& residual, const torch::Tensor& x, double p, double factor);

/// dropped(silu(x), p)
torch::Tensor siluDropped(const torch::Tensor& x, double p);

/// x times the factors of its elements, without gradient; x float32 on the CPU, contiguous.
torch::Tensor scaledBy(const DropoutMask& mask, const torch::Tensor& x, float factor = 1.0f);

} // namespace rankscope::trainer
