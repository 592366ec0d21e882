// SPDX-License-Identifier: Apache-2.0
#include "core/plan/cost/gradient_buckets.h"

#include <algorithm>
#include <utility>

namespace rankscope::plan {
namespace {

constexpr std::int64_t kMiB = 1 << 20, kFirstBucketBytes = kMiB; // c10d's kDefaultFirstBucketBytes
constexpr std::int64_t kBroadcastBytes = 250 * kMiB;             // DistributedDataParallel's broadcast_bucket_size
constexpr double kDefaultBucketMb = 25;
constexpr std::int64_t kFloatBytes = 4;

struct BucketLimits {
    std::int64_t first = 0, others = 0;
};

BucketLimits bucketLimitsOf(const config::TrainerConfig& trainer) {
    const auto cap = static_cast<std::int64_t>(trainer.bucketCapMb.value_or(kDefaultBucketMb) * double{kMiB});
    return {trainer.bucketCapMb ? cap : kFirstBucketBytes, cap};
}

/// Returns the buckets as c10d fills them: the tensor that brings a bucket to its limit closes it.
std::vector<GradientBucket> filled(const std::vector<TensorShape>& shapes, const std::vector<std::size_t>& order,
                                   const BucketLimits& limits) {
    std::vector<GradientBucket> buckets;
    GradientBucket open;
    for (const std::size_t place : order) {
        open.elements += shapes[place].count();
        open.tensors.push_back(place);
        if (open.elements * kFloatBytes >= (buckets.empty() ? limits.first : limits.others))
            buckets.push_back(std::exchange(open, {}));
    }
    if (!open.tensors.empty())
        buckets.push_back(std::move(open));
    return buckets;
}

} // namespace

bool searchesUnused(const config::TrainerConfig& trainer) {
    return (trainer.findUnusedParameters || trainer.strategy == "ddp_find_unused_parameters_true") &&
           !trainer.staticGraph;
}

std::vector<GradientBucket> gradientBuckets(const config::TrainerConfig& trainer,
                                            const std::vector<TensorShape>& shapes) {
    const BucketLimits limits = bucketLimitsOf(trainer);
    if (!searchesUnused(trainer))
        return filled(shapes, gradientOrder(shapes), limits);
    auto buckets = filled(shapes, trainableTensors(shapes), limits); // in the model's order, sent from its end
    std::ranges::reverse(buckets);
    return buckets;
}

std::vector<CoalescedTensors> coalesced(const std::vector<TensorShape>& shapes,
                                        const std::vector<std::size_t>& tensors) {
    std::vector<CoalescedTensors> parts;
    std::vector<std::size_t> open; // positions in `parts`, one per type
    for (const std::size_t place : tensors) {
        const TensorShape& tensor = shapes[place];
        const std::string dtype = tensor.typeName();
        auto part = std::ranges::find_if(open, [&](std::size_t i) { return parts[i].dtype == dtype; });
        if (part == open.end()) {
            parts.push_back({dtype, 0, {}});
            part = open.insert(open.end(), parts.size() - 1);
        }
        CoalescedTensors& into = parts[*part];
        into.elements += tensor.count();
        into.tensors.push_back(place);
        if (into.elements * tensor.elementBytes >= kBroadcastBytes)
            open.erase(part);
    }
    return parts;
}

} // namespace rankscope::plan
