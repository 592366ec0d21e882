// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/distributed/observe/observing_backend.h"

#include "core/base/values/clock.h"
#include "core/trainer/exception_text.h"

#include <ATen/core/ivalue.h>
#include <ATen/core/ivalue_inl.h>

#include <exception>
#include <string>
#include <utility>

namespace rankscope::trainer {
namespace {

using observer::CollectiveHandle;
using observer::CollectiveLog;
using telemetry::CollectiveOp;

std::int64_t elements(const std::vector<at::Tensor>& tensors) {
    std::int64_t count = 0;
    for (const at::Tensor& tensor : tensors)
        count += tensor.numel();
    return count;
}

std::int64_t elements(const std::vector<std::vector<at::Tensor>>& lists) {
    std::int64_t count = 0;
    for (const auto& list : lists)
        count += elements(list);
    return count;
}

std::uint8_t dtypeOf(const std::vector<at::Tensor>& tensors) {
    return tensors.empty() ? 0 : static_cast<std::uint8_t>(tensors.front().scalar_type());
}

/// Returns the first line of the error's text, without Gloo's "[file:line] " prefix.
std::string reasonOf(const std::exception_ptr& error) {
    try {
        std::rethrow_exception(error);
    } catch (const std::exception& e) {
        const std::string text = firstLine(e);
        if (text.empty())
            return "unknown error";
        const std::size_t source = text.starts_with("[/") ? text.find("] ") : std::string::npos;
        return source == std::string::npos ? text : text.substr(source + 2);
    } catch (...) {
        return "unknown error";
    }
}

/// Wraps work that has no future (send, receive, Gloo's reduce-scatter): its end is noticed when a caller waits or
/// asks.
class WatchedWork final : public c10d::Work {
public:
    WatchedWork(c10::intrusive_ptr<c10d::Work> inner, CollectiveLog& log, CollectiveHandle handle)
        : m_inner(std::move(inner)), m_log(log), m_handle(handle) {}
    ~WatchedWork() override { close(true, "nobody waited for its end"); }

    bool isCompleted() override {
        const bool completed = m_inner->isCompleted();
        if (completed)
            close(!m_inner->isSuccess(), "failed");
        return completed;
    }
    bool isSuccess() const override { return m_inner->isSuccess(); }
    std::exception_ptr exception() const override { return m_inner->exception(); }
    int sourceRank() const override { return m_inner->sourceRank(); }
    std::vector<at::Tensor> result() override { return m_inner->result(); }
    void synchronize() override { m_inner->synchronize(); }
    void abort() override { m_inner->abort(); }
    uint64_t getSequencenumber() const override { return m_inner->getSequencenumber(); }
    bool wait(std::chrono::milliseconds timeout) override {
        try {
            const bool completed = m_inner->wait(timeout);
            close(!completed, "aborted");
            return completed;
        } catch (...) {
            close(true, reasonOf(std::current_exception()));
            throw;
        }
    }

private:
    void close(bool failed, std::string_view reason) {
        if (!std::exchange(m_closed, true))
            m_log.done(m_handle, failed, reason);
    }

    c10::intrusive_ptr<c10d::Work> m_inner;
    CollectiveLog& m_log;
    CollectiveHandle m_handle;
    bool m_closed = false;
};

c10::intrusive_ptr<c10::ivalue::Future> futureOf(c10d::Work& work) {
    try {
        return work.getFuture();
    } catch (const c10::Error&) {
        return {};
    }
}

/// Hands the call over to the inner backend, which may reject it.
template <class Call> auto handOver(CollectiveLog& log, CollectiveHandle handle, Call&& call) {
    struct Started {
        CollectiveLog& log;
        CollectiveHandle handle;
        ~Started() { log.started(handle); }
    };
    try {
        const Started started{log, handle};
        return std::forward<Call>(call)();
    } catch (...) {
        log.done(handle, true, reasonOf(std::current_exception()));
        throw;
    }
}

} // namespace

ObservingBackend::ObservingBackend(c10::intrusive_ptr<c10d::Backend> inner, std::uint32_t group,
                                   std::shared_ptr<observer::RankTelemetry> telemetry)
    : Backend(inner->getRank(), inner->getSize()), m_collectives(group, telemetry),
      m_pointToPoint(group | observer::kPointToPointGroup, std::move(telemetry)), m_inner(std::move(inner)) {}

std::optional<observer::CollectiveFailure> ObservingBackend::failure() const {
    auto first = m_collectives.failure();
    return first ? first : m_pointToPoint.failure();
}

template <class Call>
ObservingBackend::WorkPtr ObservingBackend::observe(CollectiveOp op, std::uint8_t dtype, std::int64_t count,
                                                    Call&& call) {
    const CollectiveHandle handle = CollectiveTag::enter(m_collectives, {.op = op, .dtype = dtype, .count = count});
    if (m_entered)
        m_entered(CollectiveTag::innermost());
    WorkPtr work = handOver(m_collectives, handle, std::forward<Call>(call));
    const auto future = futureOf(*work);
    if (!future)
        return c10::make_intrusive<WatchedWork>(std::move(work), m_collectives, handle);
    future->addCallback([this, handle](c10::ivalue::Future& ended) {
        const bool failed = ended.hasError();
        m_collectives.done(handle, failed, failed ? reasonOf(ended.exception_ptr()) : std::string());
    });
    return work;
}

template <class Call>
ObservingBackend::WorkPtr ObservingBackend::observe(CollectiveOp op, const Tensors& payload, Call&& call) {
    return observe(op, dtypeOf(payload), elements(payload), std::forward<Call>(call));
}

template <class Call>
ObservingBackend::WorkPtr ObservingBackend::observe(CollectiveOp op, const at::Tensor& payload, Call&& call) {
    return observe(op, static_cast<std::uint8_t>(payload.scalar_type()), payload.numel(), std::forward<Call>(call));
}

template <class Call>
ObservingBackend::WorkPtr ObservingBackend::observePeer(CollectiveOp op, const Tensors& payload, Call&& call) {
    const CollectiveHandle handle =
        CollectiveTag::enter(m_pointToPoint, {.op = op, .dtype = dtypeOf(payload), .count = elements(payload)});
    WorkPtr work = handOver(m_pointToPoint, handle, std::forward<Call>(call));
    return c10::make_intrusive<WatchedWork>(std::move(work), m_pointToPoint, handle);
}

ObservingBackend::WorkPtr ObservingBackend::broadcast(Tensors& tensors, const c10d::BroadcastOptions& options) {
    return observe(CollectiveOp::Broadcast, tensors, [&] { return m_inner->broadcast(tensors, options); });
}

ObservingBackend::WorkPtr ObservingBackend::allreduce(Tensors& tensors, const c10d::AllreduceOptions& options) {
    return observe(CollectiveOp::AllReduce, tensors, [&] { return m_inner->allreduce(tensors, options); });
}

ObservingBackend::WorkPtr ObservingBackend::allreduce_sparse(Tensors& tensors, const c10d::AllreduceOptions& options) {
    // a sparse tensor's numel() is that of the dense one: the amount transferred is not known here
    return observe(CollectiveOp::AllReduce, dtypeOf(tensors), -1,
                   [&] { return m_inner->allreduce_sparse(tensors, options); });
}

ObservingBackend::WorkPtr ObservingBackend::allreduce_coalesced(Tensors& tensors,
                                                                const c10d::AllreduceCoalescedOptions& options) {
    return observe(CollectiveOp::AllReduce, tensors, [&] { return m_inner->allreduce_coalesced(tensors, options); });
}

ObservingBackend::WorkPtr ObservingBackend::reduce(Tensors& tensors, const c10d::ReduceOptions& options) {
    return observe(CollectiveOp::Reduce, tensors, [&] { return m_inner->reduce(tensors, options); });
}

ObservingBackend::WorkPtr ObservingBackend::allgather(std::vector<Tensors>& outputs, Tensors& inputs,
                                                      const c10d::AllgatherOptions& options) {
    return observe(CollectiveOp::AllGather, inputs, [&] { return m_inner->allgather(outputs, inputs, options); });
}

ObservingBackend::WorkPtr ObservingBackend::_allgather_base(at::Tensor& output, at::Tensor& input,
                                                            const c10d::AllgatherOptions& options) {
    return observe(CollectiveOp::AllGather, input, [&] { return m_inner->_allgather_base(output, input, options); });
}

ObservingBackend::WorkPtr ObservingBackend::allgather_coalesced(std::vector<Tensors>& outputs, Tensors& inputs,
                                                                const c10d::AllgatherOptions& options) {
    return observe(CollectiveOp::AllGather, inputs,
                   [&] { return m_inner->allgather_coalesced(outputs, inputs, options); });
}

ObservingBackend::WorkPtr ObservingBackend::allgather_into_tensor_coalesced(Tensors& outputs, Tensors& inputs,
                                                                            const c10d::AllgatherOptions& options) {
    return observe(CollectiveOp::AllGather, inputs,
                   [&] { return m_inner->allgather_into_tensor_coalesced(outputs, inputs, options); });
}

ObservingBackend::WorkPtr ObservingBackend::gather(std::vector<Tensors>& outputs, Tensors& inputs,
                                                   const c10d::GatherOptions& options) {
    return observe(CollectiveOp::Gather, inputs, [&] { return m_inner->gather(outputs, inputs, options); });
}

ObservingBackend::WorkPtr ObservingBackend::scatter(Tensors& outputs, std::vector<Tensors>& inputs,
                                                    const c10d::ScatterOptions& options) {
    return observe(CollectiveOp::Scatter, outputs, [&] { return m_inner->scatter(outputs, inputs, options); });
}

ObservingBackend::WorkPtr ObservingBackend::reduce_scatter(Tensors& outputs, std::vector<Tensors>& inputs,
                                                           const c10d::ReduceScatterOptions& options) {
    return observe(CollectiveOp::ReduceScatter, dtypeOf(outputs), elements(inputs),
                   [&] { return m_inner->reduce_scatter(outputs, inputs, options); });
}

ObservingBackend::WorkPtr ObservingBackend::_reduce_scatter_base(at::Tensor& output, at::Tensor& input,
                                                                 const c10d::ReduceScatterOptions& options) {
    return observe(CollectiveOp::ReduceScatter, input,
                   [&] { return m_inner->_reduce_scatter_base(output, input, options); });
}

ObservingBackend::WorkPtr ObservingBackend::reduce_scatter_tensor_coalesced(Tensors& outputs, Tensors& inputs,
                                                                            const c10d::ReduceScatterOptions& options) {
    return observe(CollectiveOp::ReduceScatter, inputs,
                   [&] { return m_inner->reduce_scatter_tensor_coalesced(outputs, inputs, options); });
}

ObservingBackend::WorkPtr ObservingBackend::alltoall_base(at::Tensor& output, at::Tensor& input,
                                                          std::vector<int64_t>& outputSplits,
                                                          std::vector<int64_t>& inputSplits,
                                                          const c10d::AllToAllOptions& options) {
    return observe(CollectiveOp::AllToAll, input,
                   [&] { return m_inner->alltoall_base(output, input, outputSplits, inputSplits, options); });
}

ObservingBackend::WorkPtr ObservingBackend::alltoall(Tensors& outputs, Tensors& inputs,
                                                     const c10d::AllToAllOptions& options) {
    return observe(CollectiveOp::AllToAll, inputs, [&] { return m_inner->alltoall(outputs, inputs, options); });
}

ObservingBackend::WorkPtr ObservingBackend::barrier(const c10d::BarrierOptions& options) {
    return observe(CollectiveOp::Barrier, 0, 0, [&] { return m_inner->barrier(options); });
}

void ObservingBackend::monitoredBarrier(const c10d::BarrierOptions& options, bool waitAllRanks) {
    const CollectiveHandle handle = CollectiveTag::enter(m_collectives, {.op = CollectiveOp::Barrier});
    handOver(m_collectives, handle, [&] { m_inner->monitoredBarrier(options, waitAllRanks); });
    m_collectives.done(handle, false);
}

ObservingBackend::WorkPtr ObservingBackend::send(Tensors& tensors, int destination, int tag) {
    return observePeer(CollectiveOp::Send, tensors, [&] { return m_inner->send(tensors, destination, tag); });
}

ObservingBackend::WorkPtr ObservingBackend::recv(Tensors& tensors, int source, int tag) {
    return observePeer(CollectiveOp::Recv, tensors, [&] { return m_inner->recv(tensors, source, tag); });
}

ObservingBackend::WorkPtr ObservingBackend::recvAnysource(Tensors& tensors, int tag) {
    return observePeer(CollectiveOp::Recv, tensors, [&] { return m_inner->recvAnysource(tensors, tag); });
}

void waitExposed(CollectiveTag& tag, const c10::intrusive_ptr<c10d::Work>& work) {
    struct CloseExposure {
        PendingExposure& exposure;
        ~CloseExposure() { exposure.close(monotonicNs() - exposure.arrivedNs()); }
    } close{tag.exposure()};
    work->wait();
}

} // namespace rankscope::trainer
