// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/loop/setup/rank_state.h"

#include <fmt/format.h>

#include <set>

namespace rankscope::trainer {
namespace {

/// DistributedDataParallel takes rank 0's buffers before each forward, SyncBatchNorm keeps them equal; with neither
/// each rank has its own.
bool ownBuffers(const Rank& rank) {
    const auto& recipe = rank.recipe;
    return rank.me.worldSize > 1 && recipe.model.encoder.convNormType == "batch_norm" &&
           !recipe.trainer.syncBatchnorm && !recipe.trainer.broadcastBuffers;
}

StateDict buffersOf(const Rank& rank) {
    std::set<std::string> names;
    for (const auto& item : rank.model->named_buffers())
        names.insert(item.key());
    StateDict out;
    for (auto& [name, tensor] : rank.model->stateDict())
        if (names.contains(name))
            out.emplace_back(name, tensor);
    return out;
}

torch::Tensor bytesOf(const torch::Tensor& tensor) {
    return tensor.detach().to(torch::kCPU).contiguous().reshape({-1}).view(torch::kUInt8);
}

/// The next bytes, as a tensor like `like`.
torch::Tensor take(const torch::Tensor& bytes, std::int64_t& at, const torch::Tensor& like) {
    const auto size = static_cast<std::int64_t>(like.nbytes());
    const auto part = bytes.narrow(0, at, size).clone();
    at += size;
    return part.view(like.scalar_type()).reshape(like.sizes());
}

} // namespace

void gatherRankStates(Rank& rank, TrainState& state) {
    const RngState mine = captureRng(rank.device);
    const StateDict buffers = ownBuffers(rank) ? buffersOf(rank) : StateDict();
    if (!rank.group) {
        state.rng = {mine};
        return;
    }
    std::vector<torch::Tensor> parts{bytesOf(mine.cpu)};
    if (mine.device.defined())
        parts.push_back(bytesOf(mine.device));
    for (const auto& item : buffers)
        parts.push_back(bytesOf(item.second));
    CollectiveTag tag("checkpoint", CollectiveTag::Exposure::Kept);
    const torch::Tensor all = rank.group->allGather(torch::cat(parts).to(rank.device), tag).cpu(); // [ranks, bytes]
    for (std::int64_t r = 0; r < all.size(0); ++r) {
        std::int64_t at = 0;
        RngState rng{take(all[r], at, mine.cpu), {}};
        if (mine.device.defined())
            rng.device = take(all[r], at, mine.device);
        state.rng.push_back(std::move(rng));
        StateDict own;
        for (const auto& [name, tensor] : buffers)
            own.emplace_back(name, take(all[r], at, tensor));
        if (!buffers.empty())
            state.buffers.push_back(std::move(own));
    }
}

Result<void> restoreBuffers(Rank& rank, const TrainState& state) {
    const StateDict mine = ownBuffers(rank) ? buffersOf(rank) : StateDict();
    const auto index = static_cast<std::size_t>(rank.me.rank);
    if (mine.empty())
        return {};
    if (index >= state.buffers.size() || state.buffers[index].size() != mine.size())
        return fail(Errc::BadInput, fmt::format("has no running statistics of rank {}", rank.me.rank), "checkpoint");
    const torch::NoGradGuard noGradients;
    for (std::size_t i = 0; i < mine.size(); ++i) {
        const auto& [name, saved] = state.buffers[index][i];
        if (name != mine[i].first || saved.sizes() != mine[i].second.sizes())
            return fail(Errc::BadInput, fmt::format("has the buffer {} where the model has {}", name, mine[i].first),
                        "checkpoint");
        mine[i].second.copy_(saved);
    }
    return {};
}

} // namespace rankscope::trainer
