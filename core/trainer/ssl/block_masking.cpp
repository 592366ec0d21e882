// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/ssl/block_masking.h"

#include <algorithm>
#include <cmath>

namespace rankscope::trainer {
namespace {

constexpr std::int64_t kShortBlock = 8; ///< frames masked at the start of an utterance that is too short for a block

void maskBlock(bool* mask, std::int64_t begin, std::int64_t end, std::int64_t frames) {
    begin = std::clamp<std::int64_t>(begin, 0, frames);
    end = std::clamp<std::int64_t>(end, begin, frames);
    std::fill(mask + begin, mask + end, true);
}

torch::Tensor permutation(std::int64_t n) {
    return torch::randperm(std::max<std::int64_t>(n, 0), torch::kInt64);
}

} // namespace

BlockMaskingImpl::BlockMaskingImpl(const config::MaskingConfig& c) : m_config(c) {
    const auto vector = c.maskValue ? torch::full({c.featIn}, *c.maskValue, torch::kFloat32)
                                    : torch::empty({c.featIn}).normal_(0.0, 0.1);
    maskEmbedding = register_parameter("mask_embedding", vector, !c.freeze && !c.maskValue);
}

void BlockMaskingImpl::drawOverlapping(bool* mask, std::int64_t length, std::int64_t frames) const {
    if (m_config.blockSize >= static_cast<double>(length) * m_config.maxMaskRatio)
        return maskBlock(mask, 0, std::min(kShortBlock, length), frames);
    const std::int64_t count = std::max<std::int64_t>(0, length - m_config.blockSize);
    const auto trials = torch::full({}, static_cast<double>(count), torch::kFloat32);
    const auto probability = torch::full({}, m_config.maskProb, torch::kFloat32);
    const auto blocks = static_cast<std::int64_t>(torch::binomial(trials, probability).item<float>());
    const auto starts = permutation(count);
    const auto* start = starts.const_data_ptr<std::int64_t>();
    for (std::int64_t i = 0; i < std::min(blocks, count); ++i)
        maskBlock(mask, start[i], std::min(start[i] + m_config.blockSize, length), frames);
}

void BlockMaskingImpl::drawSeparate(bool* mask, std::int64_t length, std::int64_t frames) const {
    // float32, as NeMo's tensors compute it
    const auto n = static_cast<float>(length);
    if (static_cast<float>(m_config.blockSize) >= n * static_cast<float>(m_config.maxMaskRatio))
        return maskBlock(mask, 0, kShortBlock, frames);
    const auto blocks = static_cast<std::int64_t>(
        std::ceil(n * static_cast<float>(m_config.maskProb) / static_cast<float>(m_config.blockSize)));
    const auto offset = torch::randint(0, m_config.blockSize, {1}, torch::kInt64).item<std::int64_t>();
    std::int64_t size = m_config.blockSize;
    if ((blocks + 1) * size > length)
        size = std::max<std::int64_t>(1, length / (blocks + 1));
    const auto slots = permutation(length / size - 1);
    const auto* slot = slots.const_data_ptr<std::int64_t>();
    for (std::int64_t i = 0; i < std::min(blocks, slots.numel()); ++i)
        maskBlock(mask, slot[i] * size + offset, (slot[i] + 1) * size + offset, frames);
}

torch::Tensor BlockMaskingImpl::draw(const std::vector<std::int64_t>& lengths, std::int64_t frames) const {
    torch::NoGradGuard noGrad;
    auto masks = torch::zeros({static_cast<std::int64_t>(lengths.size()), frames}, torch::kBool);
    for (std::size_t b = 0; b < lengths.size(); ++b) {
        bool* row = masks.mutable_data_ptr<bool>() + static_cast<std::int64_t>(b) * frames;
        m_config.allowOverlap ? drawOverlapping(row, lengths[b], frames) : drawSeparate(row, lengths[b], frames);
    }
    return masks;
}

torch::Tensor BlockMaskingImpl::apply(const torch::Tensor& features, const torch::Tensor& mask, int timeDim) const {
    const auto where = mask.to(features.device()).unsqueeze(timeDim == 1 ? 2 : 1);
    const auto vector = timeDim == 1 ? maskEmbedding.view({1, 1, -1}) : maskEmbedding.view({1, -1, 1});
    return torch::where(where, vector, features);
}

} // namespace rankscope::trainer
