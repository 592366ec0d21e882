// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/distributed/parallel/data_parallel.h"

#include "core/base/values/clock.h"
#include "core/trainer/argument_error.h"
#include "core/trainer/exception_text.h"

#include <torch/csrc/distributed/c10d/comm.hpp>
#include <torch/csrc/distributed/c10d/reducer.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <unordered_map>
#include <utility>

namespace rankscope::trainer {
namespace {

constexpr std::size_t kMiB = 1u << 20;
constexpr double kDefaultBucketMb = 25;
constexpr std::size_t kNamesShown = 3;
constexpr std::array<std::pair<std::string_view, CommHook>, 5> kHooks{{{"", CommHook::AllReduce},
                                                                       {"allreduce_hook", CommHook::AllReduce},
                                                                       {"fp16_compress_hook", CommHook::Fp16Compress},
                                                                       {"bf16_compress_hook", CommHook::Bf16Compress},
                                                                       {"noop_hook", CommHook::Noop}}};

/// Returns the type that is sent; none: the bucket's own type.
std::optional<at::ScalarType> compressedType(CommHook hook) {
    return hook == CommHook::Fp16Compress   ? std::optional(at::kHalf)
           : hook == CommHook::Bf16Compress ? std::optional(at::kBFloat16)
                                            : std::nullopt;
}
constexpr std::size_t kBroadcastBytes = 250 * kMiB; // DistributedDataParallel's

std::vector<at::Tensor> tensorsOf(const NamedTensors& named) {
    std::vector<at::Tensor> tensors;
    tensors.reserve(named.size());
    for (const auto& [name, tensor] : named)
        tensors.push_back(tensor);
    return tensors;
}

std::unordered_map<std::size_t, std::string> namesOf(const NamedTensors& named) {
    std::unordered_map<std::size_t, std::string> names;
    for (std::size_t i = 0; i < named.size(); ++i)
        names.emplace(i, named[i].first);
    return names;
}

/// Turns c10d's "Parameter indices which did not receive grad for rank 0: 3 7" into names; empty for any other text.
std::string withoutGradient(const std::string& text, const NamedTensors& parameters) {
    const std::size_t said = text.find("did not receive grad for rank");
    const std::size_t colon = said == std::string::npos ? said : text.find(':', said);
    if (colon == std::string::npos)
        return {};
    std::istringstream numbers(text.substr(colon + 1, text.find('\n', colon) - colon - 1));
    std::vector<std::string> names;
    for (std::size_t index = 0; numbers >> index;)
        names.push_back(index < parameters.size() ? parameters[index].first : fmt::format("parameter {}", index));
    const std::size_t shown = std::min(names.size(), kNamesShown), more = names.size() - shown;
    return fmt::format("{}{}", fmt::join(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(shown), ", "),
                       more > 0 ? fmt::format(" and {} more", more) : "");
}

} // namespace

std::optional<CommHook> commHookNamed(std::string_view name) {
    const auto* found =
        std::find_if(kHooks.begin(), kHooks.end(), [&](const auto& hook) { return hook.first == name; });
    return found == kHooks.end() ? std::nullopt : std::optional(found->second);
}

// Averages a bucket as the Reducer or torch's hook would, but tags the collective with the bucket, which is not known
// below c10d.
class DataParallel::BucketHook final : public c10d::CommHookInterface {
public:
    explicit BucketHook(DataParallel& owner) : m_owner(owner) {}

    c10::intrusive_ptr<c10::ivalue::Future> runHook(c10d::GradBucket& bucket) override {
        const bool last = bucket.isLast();
        const at::Tensor buffer = bucket.getBufferRef();
        if (m_owner.m_options.commHook == CommHook::Noop)
            return completed(buffer);
        CollectiveTag tag("gradient", bucket.getIndex(),
                          last ? CollectiveTag::Exposure::Kept : CollectiveTag::Exposure::Unknown);
        const auto compressed = compressedType(m_owner.m_options.commHook);
        std::vector<at::Tensor> tensors{compressed ? buffer.to(*compressed) : buffer};
        if (!m_owner.sharesLoss())
            tensors.front().div_(m_owner.m_group->size()); // before the sum: float16 overflows early
        auto work = m_owner.m_group->processGroup()->allreduce(tensors);
        if (last)
            m_owner.m_exposure.entered(tag.exposure().release());
        return compressed ? decompressed(*work->getFuture(), buffer) : work->getFuture();
    }

    at::Tensor parseHookResult(const c10::IValue& result) override {
        return c10d::detail::parseCppCommHookResult(result);
    }

private:
    using FuturePtr = c10::intrusive_ptr<c10::ivalue::Future>;

    static std::vector<c10::Device> devicesOf(const at::Tensor& tensor) {
        return tensor.is_cpu() ? std::vector<c10::Device>{} : std::vector<c10::Device>{tensor.device()};
    }
    static FuturePtr completed(const at::Tensor& buffer) {
        auto future = c10::make_intrusive<c10::ivalue::Future>(c10::TensorType::get(), devicesOf(buffer));
        future->markCompleted(buffer);
        return future;
    }
    static FuturePtr decompressed(c10::ivalue::Future& reduced, const at::Tensor& buffer) {
        return reduced.then(
            [buffer](c10::ivalue::Future& ended) -> c10::IValue {
                return at::Tensor(buffer).copy_(ended.value().toTensorVector().front()); // a failure is rethrown
            },
            c10::TensorType::get());
    }

    DataParallel& m_owner;
};

DataParallel::DataParallel(std::shared_ptr<ObservedGroup> group, ReplicaState state, const DataParallelOptions& options)
    : m_group(std::move(group)), m_state(std::move(state)), m_options(options), m_exposure(*m_group->telemetry()) {
    const std::vector<at::Tensor> parameters = tensorsOf(m_state.parameters);
    {
        const CollectiveTag tag("ddp:verify_parameters");
        c10d::verify_params_across_processes(m_group->processGroup(), parameters, {});
    }
    broadcast(m_state.parameters, "broadcast:parameters");
    broadcast(m_state.frozen, "broadcast:parameters");
    broadcast(m_state.buffers, "broadcast:buffers");
    checkCommHook();
    makeReducer();
}

/// Sends one number in the hook's type, so that a backend without this type fails here and not in the first step.
void DataParallel::checkCommHook() {
    const auto type = compressedType(m_options.commHook);
    if (!type)
        return;
    std::vector<at::Tensor> probe{at::ones({1}, at::dtype(*type).device(m_group->device()))};
    try {
        const CollectiveTag tag("check:comm_hook");
        m_group->processGroup()->allreduce(probe)->wait();
    } catch (const c10::Error& error) {
        throw ArgumentError("trainer.strategy.ddp_comm_hook",
                            {"the ranks' backend cannot all-reduce {}: {}", c10::toString(*type), firstLine(error)});
    }
}

void DataParallel::makeReducer() {
    const std::vector<at::Tensor> parameters = tensorsOf(m_state.parameters);
    // Without unused parameters the buckets are rebuilt after the first backward, in the order in which gradients came;
    // until then there is one bucket.
    const auto bytes = [](double mb) { return static_cast<std::size_t>(mb * static_cast<double>(kMiB)); };
    const std::size_t cap = bytes(m_options.bucketCapMb.value_or(kDefaultBucketMb));
    const std::size_t first = m_options.bucketCapMb ? cap : std::size_t{c10d::kDefaultFirstBucketBytes};
    const bool rebuilt = !m_options.findUnusedParameters || m_options.staticGraph;
    const std::vector<std::size_t> limits = rebuilt ? std::vector<std::size_t>{std::numeric_limits<std::size_t>::max()}
                                                    : std::vector<std::size_t>{first, cap};
    auto buckets = std::get<0>(c10d::compute_bucket_assignment_by_size(parameters, limits));
    std::reverse(buckets.begin(), buckets.end()); // gradients come from the last layer first
    m_reducer = std::make_shared<c10d::Reducer>(
        parameters, std::move(buckets), m_group->processGroup(), std::vector<bool>(parameters.size(), false),
        static_cast<std::int64_t>(cap), m_options.findUnusedParameters, /*gradient_as_bucket_view=*/true,
        namesOf(m_state.parameters), static_cast<std::int64_t>(first), /*skip_all_reduce_unused_params=*/false,
        /*use_python_reducer=*/false, std::vector<std::int64_t>{});
    m_reducer->register_comm_hook(std::make_unique<BucketHook>(*this));
    if (m_options.staticGraph)
        m_reducer->set_static_graph();
}

DataParallel::~DataParallel() = default;

void DataParallel::broadcast(const NamedTensors& named, std::string_view tagName) {
    if (named.empty())
        return;
    const CollectiveTag tag(tagName);
    const torch::NoGradGuard noGrad;
    // one coalesced broadcast takes one dtype: group them in the order in which they first appear
    std::vector<std::pair<at::ScalarType, std::vector<at::Tensor>>> byType;
    for (const auto& item : named) {
        const at::ScalarType type = item.second.scalar_type();
        auto at = std::find_if(byType.begin(), byType.end(), [&](const auto& entry) { return entry.first == type; });
        if (at == byType.end())
            at = byType.insert(byType.end(), {type, {}});
        at->second.push_back(item.second.detach());
    }
    for (auto& [type, tensors] : byType)
        c10d::broadcast_coalesced(m_group->processGroup(), tensors, kBroadcastBytes);
}

void DataParallel::beforeForward(bool sync) {
    if (sync || watchesGraph())
        m_reducer->prepare_for_forward();
    try {
        const CollectiveTag tag("ddp:bucket_order");
        m_reducer->rebuild_buckets(); // acts once, after the first backward
    } catch (const c10::Error& error) {
        const std::string names = withoutGradient(error.what_without_backtrace(), m_state.parameters);
        if (names.empty())
            throw;
        throw std::runtime_error(fmt::format("Expected to have finished reduction in the prior iteration: no gradient "
                                             "came for {}. Set trainer.strategy: ddp_find_unused_parameters_true",
                                             names));
    }
    if (m_options.broadcastBuffers && m_syncBuffers)
        broadcast(m_state.buffers, "broadcast:buffers");
    m_syncBuffers = sync;
}

at::Tensor DataParallel::beforeBackward(const at::Tensor& loss, bool sync) {
    at::Tensor share = sharesLoss() ? loss / m_group->size() : loss;
    if (!sync && !watchesGraph())
        return share;
    const bool searches = m_options.findUnusedParameters && !m_options.staticGraph;
    m_reducer->prepare_for_backward(searches ? std::vector<at::Tensor>{loss} : std::vector<at::Tensor>{});
    m_delayedReduce = watchesGraph();
    m_graphKnown = true;
    return share;
}

std::int64_t DataParallel::afterBackward() {
    if (std::exchange(m_delayedReduce, false)) {
        const CollectiveTag tag("ddp:used_parameters");
        m_reducer->delay_all_reduce(); // backward only counted gradients: see DDP's _DDPSink
    }
    return m_exposure.finish();
}

} // namespace rankscope::trainer
