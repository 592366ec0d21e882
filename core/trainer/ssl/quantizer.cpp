// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/ssl/quantizer.h"

#include <ATen/Parallel.h>
#include <torch/nn/functional/normalization.h>
#include <torch/nn/init.h>

#include <algorithm>
#include <vector>

namespace rankscope::trainer {
namespace {

constexpr std::int64_t kRowsPerBlock = 64; ///< scores of one block stay in the cache
constexpr float kDoubt = 1e-4f;            ///< float scores closer than this to the best are recomputed in double

double exactScore(const float* x, const double* code, std::int64_t width, double penalty) {
    double sum = -penalty;
    for (std::int64_t i = 0; i < width; ++i)
        sum += static_cast<double>(x[i]) * code[i];
    return sum;
}

struct Codes {
    const double* exact = nullptr;
    const double* penalty = nullptr; ///< |c|^2 / 2, or 0
    std::int64_t count = 0, width = 0;
};

std::int64_t bestOf(const float* scores, const float* x, const Codes& codes) {
    const float best = *std::max_element(scores, scores + codes.count);
    std::int64_t winner = -1;
    double winning = 0;
    for (std::int64_t c = 0; c < codes.count; ++c) {
        if (!(scores[c] >= best - kDoubt))
            continue;
        const double score = exactScore(x, codes.exact + c * codes.width, codes.width, codes.penalty[c]);
        if (winner < 0 || score > winning) {
            winner = c;
            winning = score;
        }
    }
    return std::max<std::int64_t>(winner, 0); // NaN features: any code will do
}

/// Returns the code that NeMo's norm(x - c) gives for a row of zeros, with the shapes that NeMo uses.
std::int64_t nearestToZero(const torch::Tensor& codebook) {
    const auto x = torch::zeros({2, 2, 1, codebook.size(1)}, codebook.options().dtype(torch::kFloat32));
    const auto apart = x.unsqueeze(-1) - codebook.unsqueeze(0).transpose(1, 2).unsqueeze(0).unsqueeze(0);
    return apart.norm(2, -2).argmin(-1).flatten()[0].item<std::int64_t>();
}

bool isZero(const float* row, std::int64_t width) {
    return std::all_of(row, row + width, [](float v) { return v == 0; });
}

torch::Tensor nearestOnCpu(const torch::Tensor& x, const torch::Tensor& codebook, const torch::Tensor& penalty,
                           std::int64_t zeroCode) {
    const auto exact = codebook.contiguous();
    const auto transposed = exact.to(torch::kFloat32).t().contiguous(); // [D, C]
    const auto bias = penalty.to(torch::kFloat32).neg();
    const Codes codes{exact.const_data_ptr<double>(), penalty.const_data_ptr<double>(), exact.size(0), exact.size(1)};
    auto out = torch::empty({x.size(0)}, torch::kInt64);
    auto* tokens = out.mutable_data_ptr<std::int64_t>();
    const auto* rows = x.const_data_ptr<float>();
    const std::int64_t blocks = (x.size(0) + kRowsPerBlock - 1) / kRowsPerBlock;
    at::parallel_for(0, blocks, 1, [&](std::int64_t begin, std::int64_t end) {
        torch::NoGradGuard noGrad; // thread-local: workers do not inherit it
        auto scores = torch::empty({kRowsPerBlock, codes.count}, torch::kFloat32);
        for (std::int64_t block = begin; block < end; ++block) {
            const std::int64_t first = block * kRowsPerBlock, n = std::min(kRowsPerBlock, x.size(0) - first);
            auto part = scores.narrow(0, 0, n);
            torch::addmm_out(part, bias, x.narrow(0, first, n), transposed);
            const auto* score = part.const_data_ptr<float>();
            for (std::int64_t i = 0; i < n; ++i) {
                const float* row = rows + (first + i) * codes.width;
                tokens[first + i] = isZero(row, codes.width) ? zeroCode : bestOf(score + i * codes.count, row, codes);
            }
        }
    });
    return out;
}

} // namespace

torch::Tensor nearestCodes(const torch::Tensor& x, const torch::Tensor& codebook, bool l2) {
    torch::NoGradGuard noGrad;
    const auto penalty = l2 ? codebook.square().sum(1) / 2 : torch::zeros({codebook.size(0)}, codebook.options());
    const std::int64_t zeroCode = l2 ? nearestToZero(codebook) : 0;
    if (x.is_cpu())
        return nearestOnCpu(x.contiguous(), codebook, penalty, zeroCode);
    const auto best = torch::addmm(-penalty, x.to(torch::kFloat64), codebook.t()).argmax(1);
    return best.masked_fill(x.eq(0).all(1), zeroCode);
}

QuantizerImpl::QuantizerImpl(const config::QuantizerConfig& c) : m_config(c) {
    const std::int64_t in = static_cast<std::int64_t>(c.featIn) * c.combineTimeSteps;
    auto random = torch::empty({c.numBooks, c.numClasses, c.codeDim}, torch::kFloat64);
    {
        torch::NoGradGuard noGrad;
        random.normal_();
        random = torch::nn::functional::normalize(random, torch::nn::functional::NormalizeFuncOptions().dim(-1));
    }
    codebooks = register_parameter("codebooks", random, !c.freeze);
    proj = register_module(
        "proj", torch::nn::Linear(torch::nn::LinearOptions(in, std::int64_t{c.numBooks} * c.codeDim).bias(false)));
    torch::nn::init::xavier_normal_(proj->weight);
    proj->weight.set_requires_grad(!c.freeze);
}

torch::Tensor QuantizerImpl::forward(const torch::Tensor& features) {
    torch::NoGradGuard noGrad; // tokens are labels: NeMo's argmin does not pass gradients either
    const std::int64_t batch = features.size(0), frames = features.size(1) / m_config.combineTimeSteps;
    auto x = features.contiguous().reshape({batch * frames, -1}); // [B * T', F * combine]
    x = proj(x).view({batch * frames, m_config.numBooks, m_config.codeDim});
    x = torch::nn::functional::normalize(x, torch::nn::functional::NormalizeFuncOptions().dim(-1));
    x = x.to(torch::kFloat32); // under autocast the projection was rounded as in NeMo, so that the tokens match
    std::vector<torch::Tensor> books;
    for (std::int64_t book = 0; book < m_config.numBooks; ++book)
        books.push_back(nearestCodes(x.select(1, book).contiguous(), codebooks[book], m_config.distFn == "l2"));
    if (m_config.numBooks == 1 && m_config.squeezeSingle)
        return books[0].view({batch, frames});
    return torch::stack(books, -1).view({batch, frames, m_config.numBooks});
}

} // namespace rankscope::trainer
