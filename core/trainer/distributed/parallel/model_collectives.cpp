// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/distributed/parallel/model_collectives.h"

namespace rankscope::trainer {

torch::Tensor ObservedStatsExchange::allGather(const torch::Tensor& local, const std::string& layer) {
    CollectiveTag tag("sync_batchnorm", layer, CollectiveTag::Exposure::Kept);
    return m_group->allGather(local, tag);
}

void ObservedStatsExchange::allReduceSum(torch::Tensor& values, const std::string& layer) {
    CollectiveTag tag("sync_batchnorm", layer, CollectiveTag::Exposure::Kept);
    m_group->allReduce(values, c10d::ReduceOp::SUM, tag);
}

std::int64_t syncMaxAudioLength(ObservedGroup& group, std::int64_t localMax) {
    CollectiveTag tag("sync_max_audio_length", CollectiveTag::Exposure::Kept);
    auto length = torch::full({1}, static_cast<float>(localMax), torch::dtype(torch::kFloat32).device(group.device()));
    group.allReduce(length, c10d::ReduceOp::MAX, tag);
    return static_cast<std::int64_t>(length.item<float>());
}

std::vector<std::int64_t> gatherNumbers(ObservedGroup& group, std::int64_t mine, std::string_view tagName) {
    CollectiveTag tag(tagName, CollectiveTag::Exposure::Kept);
    const auto local = torch::full({1}, mine, torch::dtype(torch::kInt64).device(group.device()));
    const torch::Tensor all = group.allGather(local, tag).cpu(); // [size, 1]
    return {all.data_ptr<std::int64_t>(), all.data_ptr<std::int64_t>() + all.numel()};
}

std::vector<int> ranksWithOtherHash(ObservedGroup& group, std::uint64_t mine, std::string_view tag) {
    const auto all = gatherNumbers(group, static_cast<std::int64_t>(mine), tag);
    std::vector<int> others;
    for (std::size_t r = 0; r < all.size(); ++r)
        if (all[r] != all[0])
            others.push_back(static_cast<int>(r));
    return others;
}

} // namespace rankscope::trainer
