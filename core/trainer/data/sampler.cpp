// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/data/sampler.h"

#include <ATen/CPUGeneratorImpl.h>
#include <torch/torch.h>

#include <numeric>

namespace rankscope::trainer {

static std::vector<std::int64_t> permutation(std::int64_t size, std::uint64_t seed) {
    const at::Generator generator = at::detail::createCPUGenerator(seed);
    const torch::Tensor order = torch::randperm(size, generator, torch::TensorOptions(torch::kInt64));
    const auto* first = order.const_data_ptr<std::int64_t>();
    return {first, first + size};
}

std::int64_t shardSize(std::int64_t size, int worldSize, bool dropLast) {
    return dropLast ? size / worldSize : (size + worldSize - 1) / worldSize;
}

std::int64_t batchCount(std::int64_t samples, int batchSize, bool dropLast) {
    return dropLast ? samples / batchSize : (samples + batchSize - 1) / batchSize;
}

std::vector<std::int64_t> shardOrder(std::int64_t size, const ShardOptions& options, int epoch) {
    std::vector<std::int64_t> all;
    if (size <= 0)
        return all;
    if (options.shuffle) {
        all = permutation(size, options.seed + static_cast<std::uint64_t>(epoch));
    } else {
        all.resize(static_cast<std::size_t>(size));
        std::iota(all.begin(), all.end(), std::int64_t{0});
    }
    const std::int64_t each = shardSize(size, options.worldSize, options.dropLast);
    std::vector<std::int64_t> mine;
    mine.reserve(static_cast<std::size_t>(each));
    for (std::int64_t i = 0; i < each; ++i) // wraps around where the set does not divide
        mine.push_back(all[static_cast<std::size_t>((i * options.worldSize + options.rank) % size)]);
    return mine;
}

} // namespace rankscope::trainer
