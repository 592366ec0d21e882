// SPDX-License-Identifier: Apache-2.0
// Distributed data parallel training as torch's DistributedDataParallel does it, by c10d's own Reducer: parameters and
// buffers start as rank 0's, gradients are averaged in buckets while backward still runs.
#pragma once

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

/// What happens to a bucket of gradients: torch.distributed.algorithms.ddp_comm_hooks, which act on any backend here.
enum class CommHook {
    AllReduce,    ///< averaged as they are (allreduce_hook, or none)
    Fp16Compress, ///< rounded to float16, averaged, and back: half the bytes
    Bf16Compress,
    Noop ///< not exchanged at all
};
/// "allreduce_hook", "fp16_compress_hook", …; empty: AllReduce. None: there is no such hook.
std::optional<CommHook> commHookNamed(std::string_view name);

/// Names and defaults are those of DistributedDataParallel. gradient_as_bucket_view is always on: the results are the
/// same, and two copies of all gradients fewer are made.
struct DataParallelOptions {
    bool findUnusedParameters = false, broadcastBuffers = true;
    bool staticGraph = false;          ///< unused parameters are found once, in the first step
    std::optional<double> bucketCapMb; ///< none: 25, and 1 for the first bucket
    CommHook commHook = CommHook::AllReduce;
};

/// What is kept equal. Tensors are changed in place: none may be replaced while this lives.
struct ReplicaState {
    NamedTensors parameters; ///< trainable, in the model's order
    NamedTensors frozen;     ///< broadcast once, at the start
    NamedTensors buffers;    ///< broadcast at the start and, with broadcastBuffers, before each forward
};

class DataParallel {
public:
    /// Checks that every rank has the same parameters, takes rank 0's values. Throws when a collective fails, and
    /// std::invalid_argument when the backend cannot do what the hook needs.
    DataParallel(std::shared_ptr<ObservedGroup> group, ReplicaState state, const DataParallelOptions& options);
    ~DataParallel();

    /// Before each forward. `sync` false: gradients are accumulated locally (no_sync).
    void beforeForward(bool sync);
    /// After the forward whose `loss` is differentiated next. Returns what to differentiate: the loss, or its share of
    /// the ranks' mean, so that no pass over all gradients has to divide them.
    [[nodiscard]] at::Tensor beforeBackward(const at::Tensor& loss, bool sync);
    /// After backward: what this thread blocked from the hand-over of the last bucket on, in ns; it is also written to
    /// that bucket's record. 0 without sync.
    std::int64_t afterBackward();

    /// Takes rank 0's buffers now.
    void broadcastBuffers() { broadcast(m_state.buffers, "broadcast:buffers"); }

private:
    class BucketHook;

    void broadcast(const NamedTensors& tensors, std::string_view tag);
    void checkCommHook();
    void makeReducer();
    /// Gradients are those of the mean's shares already: the exchange only adds. Not with a static graph, whose first
    /// gradients may be averaged and then accumulated further.
    bool sharesLoss() const { return m_options.commHook != CommHook::Noop && !m_options.staticGraph; }
    /// The next backward is the one from which c10d learns a static graph. It is synchronised, also when its batch is
    /// only accumulated: c10d would count its gradients, and wait for as many in each later step.
    bool watchesGraph() const { return m_options.staticGraph && !m_graphKnown; }

    std::shared_ptr<ObservedGroup> m_group;
    ReplicaState m_state;
    DataParallelOptions m_options;
    std::shared_ptr<c10d::Reducer> m_reducer;
    PendingExposure m_lastBucket;
    bool m_syncBuffers = true;    ///< as DDP: not after a forward that was not synchronised
    bool m_delayedReduce = false; ///< static graph: the first backward runs, its reduction comes after it
    bool m_graphKnown = false;
};

} // namespace rankscope::trainer
