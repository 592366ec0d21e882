// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/ssl/block_masking.h"

#include <algorithm>
#include <cmath>
#include <limits>

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

BlockMaskingImpl::BlockMaskingImpl(const config::MaskingConfig& c, config::NemoVersion nemo)
    : m_config(c), m_nemo(nemo) {
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

torch::Tensor BlockMaskingImpl::overlappingBlocks(const torch::Tensor& lengths, std::int64_t frames) const {
    const auto time = torch::arange(frames, lengths.options());
    const auto drawn = torch::rand({lengths.size(0), frames}, lengths.options().dtype(torch::kFloat32));
    const auto begins = drawn.lt(m_config.maskProb).logical_and_(time + m_config.blockSize <= lengths);
    // a frame is masked if one of the last blockSize frames begins a block
    const auto begun = begins.cumsum(1);
    const auto before = torch::constant_pad_nd(begun, {std::min<std::int64_t>(m_config.blockSize, frames), 0}, 0);
    return begun > before.narrow(1, 0, frames);
}

torch::Tensor BlockMaskingImpl::separateBlocks(const torch::Tensor& lengths, std::int64_t frames) const {
    const auto batch = lengths.size(0);
    const auto real = lengths.options().dtype(torch::kFloat32);
    const auto wanted = (lengths * m_config.maskProb / m_config.blockSize).ceil().to(torch::kInt64);
    // blocks shrink if the utterance has no room for one more block than it needs
    const auto shrunk = lengths.floor_divide(wanted + 1);
    const auto size =
        torch::where((wanted + 1) * m_config.blockSize > lengths, shrunk, torch::full_like(lengths, m_config.blockSize))
            .clamp_min(1); // [B, 1]
    const auto places = (lengths.floor_divide(size) - 1).clamp_min(0);

    auto score = torch::rand({batch, frames}, real);
    score.masked_fill_(torch::arange(frames, lengths.options()) >= places, -std::numeric_limits<float>::infinity());
    const auto most = static_cast<std::int64_t>(
        std::ceil(static_cast<double>(frames) * m_config.maskProb / static_cast<double>(m_config.blockSize)));
    const auto place = std::get<1>(score.topk(std::min(most, frames), 1));
    const auto taken = torch::arange(place.size(1), lengths.options()) < torch::minimum(wanted, places);
    const auto offset = (torch::rand({batch}, real).unsqueeze(1) * size).to(torch::kInt64);

    // +1 where a block begins, -1 after its end: the running sum is above 0 inside
    const auto begin = ((place * size + offset) * taken).clamp_max(frames);
    const auto end = ((place * size + offset + size) * taken).clamp_max(frames);
    auto steps = torch::zeros({batch, frames + 1}, lengths.options());
    steps.scatter_add_(1, begin, taken.to(torch::kInt64)).scatter_add_(1, end, -taken.to(torch::kInt64));
    return steps.narrow(1, 0, frames).cumsum(1) > 0;
}

torch::Tensor BlockMaskingImpl::draw(const std::vector<std::int64_t>& lengths, std::int64_t frames,
                                     const torch::Device& device) const {
    torch::NoGradGuard noGrad;
    if (m_nemo != config::NemoVersion::V2_7_3) {
        const auto all = torch::tensor(lengths, torch::kInt64).unsqueeze(1).to(device);
        return m_config.allowOverlap ? overlappingBlocks(all, frames) : separateBlocks(all, frames);
    }
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
