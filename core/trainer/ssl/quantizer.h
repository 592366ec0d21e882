// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config/recipe/recipe.h"
#include "core/trainer/libtorch.h"

namespace rankscope::trainer {

/// Random-projection quantizer of BEST-RQ (arXiv 2202.01855), NeMo RandomProjectionVectorQuantizer: features become the
/// number of the nearest vector of a fixed random codebook. Codebooks are float64 as in NeMo; ties are resolved in
/// float64.
class QuantizerImpl : public torch::nn::Module {
public:
    explicit QuantizerImpl(const config::QuantizerConfig& config);

    /// Maps features [B, T, F] to tokens [B, T / combine_time_steps, books] int64 ([B, …] with squeeze_single and one
    /// book).
    torch::Tensor forward(const torch::Tensor& features);

    torch::nn::Linear proj{nullptr};
    torch::Tensor codebooks; ///< [books, classes, code_dim] float64

private:
    config::QuantizerConfig m_config;
};
TORCH_MODULE(Quantizer);

/// Returns, [N] int64, the row numbers of the codebook [C, D] float64 nearest to the rows of x [N, D] float32: the
/// largest x.c - |c|^2 / 2 (l2) or x.c (cosine), the first of equals. A row of zeros (a padded frame) is equally far
/// from all unit codes, so the rounding of NeMo's expression decides; it is evaluated as NeMo writes it.
torch::Tensor nearestCodes(const torch::Tensor& x, const torch::Tensor& codebook, bool l2);

} // namespace rankscope::trainer
