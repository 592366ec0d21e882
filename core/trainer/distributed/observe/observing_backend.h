// SPDX-License-Identifier: Apache-2.0
// A c10d backend that forwards to another one (Gloo, or NCCL from the plug-in) and sees every collective: arrival at
// the call, hand-over to the inner backend, and end.
//
// What the times mean. CPU (Gloo): `doneNs` is taken in the work future's callback, by the thread that completed the
// collective. GPU (NCCL): the future is completed when the kernel is queued, so arrival and end are those of the
// calling thread, not of the stream. The phases around them are the stream's own: see observer::StreamTimer.
#pragma once

#include "core/trainer/distributed/observe/collective_tag.h"

#include <torch/csrc/distributed/c10d/Backend.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string_view>

namespace rankscope::trainer {

class ObservingBackend final : public c10d::Backend {
public:
    ObservingBackend(c10::intrusive_ptr<c10d::Backend> inner, std::uint32_t group,
                     std::shared_ptr<observer::RankTelemetry> telemetry);

    /// Returns the first collective that failed, if any.
    std::optional<observer::CollectiveFailure> failure() const;
    const observer::CollectiveLog& collectives() const { return m_collectives; }
    /// Sets what is called between a collective's arrival and its hand-over, by the calling thread, with its tag. Set
    /// it before the first collective that it must see.
    void onEntered(std::function<void(std::string_view tag)> then) { m_entered = std::move(then); }

    const std::string getBackendName() const override { return "rankscope"; }
    c10::intrusive_ptr<Options> getBackendOptions() override { return m_inner->getBackendOptions(); }
    void setTimeout(std::chrono::milliseconds timeout) override { m_inner->setTimeout(timeout); }
    void setSequenceNumberForGroup() override { m_inner->setSequenceNumberForGroup(); }
    uint64_t getSequenceNumberForGroup() override { return m_inner->getSequenceNumberForGroup(); }
    c10d::ErrorType getError() override { return m_inner->getError(); }
    void abort() override { m_inner->abort(); }
    void shutdown() override { m_inner->shutdown(); }

    using Tensors = std::vector<at::Tensor>;
    using WorkPtr = c10::intrusive_ptr<c10d::Work>;

    WorkPtr broadcast(Tensors& tensors, const c10d::BroadcastOptions& options) override;
    WorkPtr allreduce(Tensors& tensors, const c10d::AllreduceOptions& options) override;
    WorkPtr allreduce_sparse(Tensors& tensors, const c10d::AllreduceOptions& options) override;
    WorkPtr allreduce_coalesced(Tensors& tensors, const c10d::AllreduceCoalescedOptions& options) override;
    WorkPtr reduce(Tensors& tensors, const c10d::ReduceOptions& options) override;
    WorkPtr allgather(std::vector<Tensors>& outputs, Tensors& inputs, const c10d::AllgatherOptions& options) override;
    WorkPtr _allgather_base(at::Tensor& output, at::Tensor& input, const c10d::AllgatherOptions& options) override;
    WorkPtr allgather_coalesced(std::vector<Tensors>& outputs, Tensors& inputs,
                                const c10d::AllgatherOptions& options) override;
    WorkPtr allgather_into_tensor_coalesced(Tensors& outputs, Tensors& inputs,
                                            const c10d::AllgatherOptions& options) override;
    WorkPtr gather(std::vector<Tensors>& outputs, Tensors& inputs, const c10d::GatherOptions& options) override;
    WorkPtr scatter(Tensors& outputs, std::vector<Tensors>& inputs, const c10d::ScatterOptions& options) override;
    WorkPtr reduce_scatter(Tensors& outputs, std::vector<Tensors>& inputs,
                           const c10d::ReduceScatterOptions& options) override;
    WorkPtr _reduce_scatter_base(at::Tensor& output, at::Tensor& input,
                                 const c10d::ReduceScatterOptions& options) override;
    WorkPtr reduce_scatter_tensor_coalesced(Tensors& outputs, Tensors& inputs,
                                            const c10d::ReduceScatterOptions& options) override;
    WorkPtr alltoall_base(at::Tensor& output, at::Tensor& input, std::vector<int64_t>& outputSplits,
                          std::vector<int64_t>& inputSplits, const c10d::AllToAllOptions& options) override;
    WorkPtr alltoall(Tensors& outputs, Tensors& inputs, const c10d::AllToAllOptions& options) override;
    WorkPtr barrier(const c10d::BarrierOptions& options) override;
    void monitoredBarrier(const c10d::BarrierOptions& options, bool waitAllRanks) override;
    WorkPtr send(Tensors& tensors, int destination, int tag) override;
    WorkPtr recv(Tensors& tensors, int source, int tag) override;
    WorkPtr recvAnysource(Tensors& tensors, int tag) override;

private:
    template <class Call> WorkPtr observe(telemetry::CollectiveOp op, const Tensors& payload, Call&& call);
    template <class Call> WorkPtr observe(telemetry::CollectiveOp op, const at::Tensor& payload, Call&& call);
    template <class Call>
    WorkPtr observe(telemetry::CollectiveOp op, std::uint8_t dtype, std::int64_t count, Call&& call);
    template <class Call> WorkPtr observePeer(telemetry::CollectiveOp op, const Tensors& payload, Call&& call);

    std::function<void(std::string_view)> m_entered; ///< empty: nothing
    // Before m_inner: completions write here until the inner backend's threads have ended.
    observer::CollectiveLog m_collectives;
    observer::CollectiveLog m_pointToPoint;
    c10::intrusive_ptr<c10d::Backend> m_inner;
};

/// Waits in this thread for a collective that was issued under `tag`, and records how long it blocked. Throws what the
/// collective threw.
void waitExposed(CollectiveTag& tag, const c10::intrusive_ptr<c10d::Work>& work);

} // namespace rankscope::trainer
