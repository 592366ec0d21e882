// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/distributed/data_parallel.h"

#include "core/base/clock.h"

#include <torch/csrc/distributed/c10d/comm.hpp>

#include <limits>
#include <unordered_map>

namespace rankscope::trainer {
namespace {

constexpr std::size_t kMiB = 1024 * 1024;
constexpr std::size_t kBroadcastBytes = 250 * kMiB; // DistributedDataParallel's

std::vector<at::Tensor> tensorsOf(const NamedTensors& named) {
    std::vector<at::Tensor> tensors;
    tensors.reserve(named.size());
    for (const auto& [name, tensor] : named) {
        tensors.push_back(tensor);
    }
    return tensors;
}

std::unordered_map<std::size_t, std::string> namesOf(const NamedTensors& named) {
    std::unordered_map<std::size_t, std::string> names;
    for (std::size_t i = 0; i < named.size(); ++i) {
        names.emplace(i, named[i].first);
    }
    return names;
}

} // namespace

// Averages a bucket as the Reducer itself would, but says which bucket it is: the tag cannot be known below c10d.
class DataParallel::BucketHook final : public c10d::CommHookInterface {
public:
    explicit BucketHook(DataParallel& owner) : m_owner(owner) {}

    c10::intrusive_ptr<c10::ivalue::Future> runHook(c10d::GradBucket& bucket) override {
        const bool last = bucket.isLast();
        CollectiveTag tag("gradient", bucket.getIndex(),
                          last ? CollectiveTag::Exposure::Kept : CollectiveTag::Exposure::Unknown);
        std::vector<at::Tensor> tensors{bucket.getBufferRef().div_(m_owner.m_group->size())};
        auto work = m_owner.m_group->processGroup()->allreduce(tensors);
        if (last) {
            m_owner.m_lastBucket = std::move(tag.exposure());
            m_owner.m_buckets = bucket.getIndex() + 1;
        }
        return work->getFuture();
    }

    at::Tensor parseHookResult(const c10::IValue& result) override {
        return c10d::detail::parseCppCommHookResult(result);
    }

private:
    DataParallel& m_owner;
};

DataParallel::DataParallel(std::shared_ptr<ObservedGroup> group, ReplicaState state, const DataParallelOptions& options)
    : m_group(std::move(group)), m_state(std::move(state)), m_options(options) {
    const std::vector<at::Tensor> parameters = tensorsOf(m_state.parameters);
    {
        const CollectiveTag tag("ddp:verify_parameters");
        c10d::verify_params_across_processes(m_group->processGroup(), parameters, {});
    }
    broadcast(m_state.parameters, "broadcast:parameters");
    broadcast(m_state.frozen, "broadcast:parameters");
    broadcast(m_state.buffers, "broadcast:buffers");

    // Without unused parameters the buckets are made anew after the first backward, in the order in which gradients
    // came; until then there is one.
    const auto cap = static_cast<std::size_t>(options.bucketCapMb * static_cast<double>(kMiB));
    const bool rebuilt = !options.findUnusedParameters;
    const std::vector<std::size_t> limits = rebuilt ? std::vector<std::size_t>{std::numeric_limits<std::size_t>::max()}
                                                    : std::vector<std::size_t>{c10d::kDefaultFirstBucketBytes, cap};
    auto buckets = std::get<0>(c10d::compute_bucket_assignment_by_size(parameters, limits));
    std::reverse(buckets.begin(), buckets.end()); // gradients come from the last layer first
    m_reducer = std::make_shared<c10d::Reducer>(
        parameters, std::move(buckets), m_group->processGroup(), std::vector<bool>(parameters.size(), false),
        static_cast<std::int64_t>(cap), options.findUnusedParameters, options.gradientAsBucketView,
        namesOf(m_state.parameters), c10d::kDefaultFirstBucketBytes, /*skip_all_reduce_unused_params=*/false,
        /*use_python_reducer=*/false, std::vector<std::int64_t>{});
    m_reducer->register_comm_hook(std::make_unique<BucketHook>(*this));
}

DataParallel::~DataParallel() = default;

void DataParallel::broadcast(const NamedTensors& named, std::string_view tagName) {
    if (named.empty()) {
        return;
    }
    const CollectiveTag tag(tagName);
    const torch::NoGradGuard noGrad;
    // one coalesced broadcast takes one dtype: group them in the order in which they first appear
    std::vector<std::pair<at::ScalarType, std::vector<at::Tensor>>> byType;
    for (const auto& [name, tensor] : named) {
        auto at = std::find_if(byType.begin(), byType.end(),
                               [&](const auto& entry) { return entry.first == tensor.scalar_type(); });
        if (at == byType.end()) {
            at = byType.insert(byType.end(), {tensor.scalar_type(), {}});
        }
        at->second.push_back(tensor.detach());
    }
    for (auto& [type, tensors] : byType) {
        c10d::broadcast_coalesced(m_group->processGroup(), tensors, kBroadcastBytes);
    }
}

void DataParallel::beforeForward(bool sync) {
    if (sync) {
        m_reducer->prepare_for_forward();
    }
    {
        const CollectiveTag tag("ddp:bucket_order");
        m_reducer->rebuild_buckets(); // acts once, after the first backward
    }
    if (m_options.broadcastBuffers && m_syncBuffers) {
        broadcast(m_state.buffers, "broadcast:buffers");
    }
    m_syncBuffers = sync;
}

void DataParallel::beforeBackward(const at::Tensor& loss, bool sync) {
    if (!sync) {
        return;
    }
    m_reducer->prepare_for_backward(m_options.findUnusedParameters ? std::vector<at::Tensor>{loss}
                                                                   : std::vector<at::Tensor>{});
}

std::int64_t DataParallel::afterBackward() {
    if (!m_lastBucket) {
        return 0;
    }
    const std::int64_t exposed = monotonicNs() - m_lastBucket.arrivedNs();
    m_lastBucket.close(exposed);
    return exposed;
}

} // namespace rankscope::trainer
