// SPDX-License-Identifier: Apache-2.0
// The model's exchanges between ranks, over the observed group.
#pragma once

#include "core/trainer/distributed/observe/observed_group.h"
#include "core/trainer/nn/collective_hooks.h"

#include <cstdint>
#include <memory>

namespace rankscope::trainer {

/// Exchanges SyncBatchNorm's statistics; tag "sync_batchnorm:<layer>".
class ObservedStatsExchange final : public StatsExchange {
public:
    explicit ObservedStatsExchange(std::shared_ptr<ObservedGroup> group) : m_group(std::move(group)) {}

    int worldSize() const override { return m_group->size(); }
    torch::Tensor allGather(const torch::Tensor& local, const std::string& layer) override;
    void allReduceSum(torch::Tensor& values, const std::string& layer) override;

private:
    std::shared_ptr<ObservedGroup> m_group;
};

/// Returns the largest `localMax` of all ranks, as NeMo computes it: a blocking all-reduce of one float32, exact up to
/// 2^24 frames. Tag "sync_max_audio_length".
std::int64_t syncMaxAudioLength(ObservedGroup& group, std::int64_t localMax);

/// Returns one int64 of each rank, in rank order.
std::vector<std::int64_t> gatherNumbers(ObservedGroup& group, std::int64_t mine, std::string_view tag);
/// Returns the ranks whose hash differs from rank 0's; each rank passes its own. Otherwise as gatherNumbers().
std::vector<int> ranksWithOtherHash(ObservedGroup& group, std::uint64_t mine, std::string_view tag);

} // namespace rankscope::trainer
