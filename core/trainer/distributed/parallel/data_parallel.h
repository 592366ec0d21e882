// SPDX-License-Identifier: Apache-2.0
// Distributed data parallel training as torch's DistributedDataParallel does it, by c10d's own Reducer: parameters and
// buffers start as rank 0's, gradients are averaged in buckets while backward still runs.
#pragma once

#include "core/observer/gradient_exposure.h"
#include "core/trainer/distributed/observe/observed_group.h"
#include "core/trainer/named_tensors.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace c10d {
class Reducer;
}

namespace rankscope::trainer {

/// How a bucket of gradients is exchanged: torch.distributed.algorithms.ddp_comm_hooks, which work on any backend here.
enum class CommHook {
    AllReduce,    ///< averaged unchanged (allreduce_hook, or no hook)
    Fp16Compress, ///< rounded to float16, averaged, and back: half the bytes
    Bf16Compress,
    Noop ///< not exchanged at all
};
/// Returns the hook of a name ("allreduce_hook", "fp16_compress_hook", …; empty: AllReduce), or none if there is no
/// such hook.
std::optional<CommHook> commHookNamed(std::string_view name);

/// Names and defaults are those of DistributedDataParallel. gradient_as_bucket_view is always on: the results are the
/// same, with two fewer copies of all gradients.
struct DataParallelOptions {
    bool findUnusedParameters = false, broadcastBuffers = true;
    bool staticGraph = false;          ///< unused parameters are found once, in the first step
    std::optional<double> bucketCapMb; ///< none: 25, and 1 for the first bucket
    CommHook commHook = CommHook::AllReduce;
};

/// The tensors that are kept equal. They are changed in place: none may be replaced during DataParallel's lifetime.
struct ReplicaState {
    NamedTensors parameters; ///< trainable, in the model's order
    NamedTensors frozen;     ///< broadcast once, at the start
    NamedTensors buffers;    ///< broadcast at the start and, with broadcastBuffers, before each forward
};

class DataParallel {
public:
    /// Checks that every rank has the same parameters and takes rank 0's values. Throws if a collective fails, and
    /// std::invalid_argument if the backend does not support the hook.
    DataParallel(std::shared_ptr<ObservedGroup> group, ReplicaState state, const DataParallelOptions& options);
    ~DataParallel();

    /// Call it before each forward. `sync` false: gradients are accumulated locally (no_sync).
    void beforeForward(bool sync);
    /// Call it after the forward whose `loss` is differentiated next. Returns the tensor to differentiate: the loss, or
    /// its share of the ranks' mean, which saves dividing all gradients in a separate pass.
    [[nodiscard]] at::Tensor beforeBackward(const at::Tensor& loss, bool sync);
    /// Call it after backward. Returns how long this thread was blocked since the last bucket was handed over, in ns;
    /// this is also written to that bucket's record. 0 without sync.
    std::int64_t afterBackward();

    /// Copies rank 0's buffers to all ranks now.
    void broadcastBuffers() { broadcast(m_state.buffers, "broadcast:buffers"); }

private:
    class BucketHook;

    void broadcast(const NamedTensors& tensors, std::string_view tag);
    void checkCommHook();
    void makeReducer();
    /// Whether gradients are already scaled to this rank's share of the mean, so that the exchange only adds them. Not
    /// with a static graph, whose first gradients may be averaged and then accumulated further.
    bool sharesLoss() const { return m_options.commHook != CommHook::Noop && !m_options.staticGraph; }
    /// Whether c10d learns the static graph from the next backward. That backward is synchronized even if its batch is
    /// only accumulated: c10d counts its gradients and would wait for as many in each later step.
    bool watchesGraph() const { return m_options.staticGraph && !m_graphKnown; }

    std::shared_ptr<ObservedGroup> m_group;
    ReplicaState m_state;
    DataParallelOptions m_options;
    std::shared_ptr<c10d::Reducer> m_reducer;
    observer::GradientExposure m_exposure;
    bool m_syncBuffers = true;    ///< as in DDP: not after a forward without synchronization
    bool m_delayedReduce = false; ///< static graph: the gradients of the first backward are reduced after it
    bool m_graphKnown = false;
};

} // namespace rankscope::trainer
