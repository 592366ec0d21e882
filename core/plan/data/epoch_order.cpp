// SPDX-License-Identifier: Apache-2.0
#include "core/plan/data/epoch_order.h"

#include "core/plan/data/random.h"

#include <limits>
#include <numeric>
#include <random>

namespace rankscope::plan {

/// Returns the same numbers as torch.randperm of a CPU generator with this seed. From 2^32 / 20 on torch uses another
/// algorithm, as 32 bits would no longer give each position the same chance.
static std::vector<std::int64_t> permutation(std::int64_t size, std::uint64_t seed) {
    std::vector<std::int64_t> order(static_cast<std::size_t>(size));
    std::mt19937 engine(static_cast<std::uint32_t>(seed)); // torch seeds it with the low half too
    if (size >= std::numeric_limits<std::uint32_t>::max() / 20) {
        for (std::int64_t i = 0; i < size; ++i) {
            const std::uint64_t high = engine(), low = engine();
            const auto at = static_cast<std::size_t>(((high << 32) | low) % static_cast<std::uint64_t>(i + 1));
            order[static_cast<std::size_t>(i)] = order[at];
            order[at] = i;
        }
        return order;
    }
    std::iota(order.begin(), order.end(), std::int64_t{0});
    for (std::int64_t i = 0; i + 1 < size; ++i)
        std::swap(order[static_cast<std::size_t>(i)],
                  order[static_cast<std::size_t>(i) + engine() % static_cast<std::uint64_t>(size - i)]);
    return order;
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
    for (std::int64_t i = 0; i < each; ++i) // wraps around if the set size is not divisible
        mine.push_back(all[static_cast<std::size_t>((i * options.worldSize + options.rank) % size)]);
    return mine;
}

// keeps these seeds separate from those that a user sets
static constexpr std::uint64_t kOwnOrderTag = 0x6f776e6f72646572;

config::DatasetConfig trainingData(const config::Recipe& recipe, int worldSize) {
    config::DatasetConfig data = recipe.train;
    const bool distributed = worldSize > 1 || recipe.trainer.strategy != "auto";
    data.shuffle |= distributed && recipe.trainer.useDistributedSampler && !data.tarred.enabled;
    return data;
}

std::uint64_t orderSeed(const config::TrainerConfig& trainer, int rank) {
    if (trainer.seed)
        return static_cast<std::uint64_t>(*trainer.seed);
    return trainer.useDistributedSampler || rank == 0 ? 0 : hashOf({kOwnOrderTag, static_cast<std::uint64_t>(rank)});
}

} // namespace rankscope::plan
