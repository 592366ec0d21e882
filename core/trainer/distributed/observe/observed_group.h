// SPDX-License-Identifier: Apache-2.0
// The process group of a run: rendezvous, transport, and the observing backend around it.
#pragma once

#include "core/base/values/error.h"
#include "core/trainer/distributed/observe/observing_backend.h"
#include "core/trainer/distributed/rendezvous/rank_environment.h"

#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
#include <torch/csrc/distributed/c10d/Store.hpp>
#include <torch/types.h>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace rankscope::trainer {

struct GroupOptions {
    std::chrono::milliseconds joinTimeout{60'000};
    std::chrono::milliseconds collectiveTimeout{1'800'000};
    at::Device device{at::kCPU};
    bool gloo = false;   ///< use Gloo also between GPUs; it copies their tensors through the host
    std::string address; ///< by which other hosts reach this one; empty: the one to which its host name resolves
    /// Called by join() after all ranks have met and before they connect; an error ends join().
    std::function<Result<void>(c10d::Store& store)> met;
};

/// Turns off c10d's own log of every collective unless TORCH_FR_BUFFER_SIZE asks for it. Rankscope's journal replaces
/// it, and it is not safe to use from several threads if a process has several groups. Call before threads are started.
void disableFlightRecorder();

class ObservedGroup {
public:
    /// Meets the other ranks at MASTER_ADDR:MASTER_PORT. Rank 0 hosts the store, unless torchrun's agent does. On one
    /// host neither the store nor the transport listens beyond the loopback. Between hosts Gloo uses the interfaces of
    /// GLOO_SOCKET_IFNAME, else the address from which MASTER_ADDR is reached. The error names the missing ranks.
    static Result<std::unique_ptr<ObservedGroup>> join(const RankEnvironment& me, const GroupOptions& options,
                                                       std::shared_ptr<observer::RankTelemetry> telemetry);
    /// Connects over an existing store. `loopback`: transport on 127.0.0.1 only.
    static Result<std::unique_ptr<ObservedGroup>> over(c10::intrusive_ptr<c10d::Store> store, int rank, int worldSize,
                                                       bool loopback, const GroupOptions& options,
                                                       std::shared_ptr<observer::RankTelemetry> telemetry);

    /// Creates another group of the same ranks, whose collectives are numbered separately. All ranks call it together,
    /// once for each `number` above 0.
    Result<std::unique_ptr<ObservedGroup>> another(std::uint32_t number, at::Device device) const;

    int rank() const { return m_group->getRank(); }
    int size() const { return m_group->getSize(); }
    at::Device device() const { return m_device; }
    const c10::intrusive_ptr<c10d::ProcessGroup>& processGroup() const { return m_group; }
    c10d::Store& store() const { return *m_store; } ///< where the ranks met
    const ObservingBackend& backend() const { return *m_backend; }
    const std::shared_ptr<observer::RankTelemetry>& telemetry() const { return m_telemetry; }
    std::optional<observer::CollectiveFailure> failure() const { return m_backend->failure(); }
    void onEntered(std::function<void(std::string_view tag)> then) { m_backend->onEntered(std::move(then)); }

    // Each of these waits in the calling thread and records how long it blocked; they throw if the collective fails.
    /// Tag "barrier:<name>".
    void barrier(std::string_view name);
    /// [n] of each rank -> [size, n].
    at::Tensor allGather(const at::Tensor& local, CollectiveTag& tag);
    void allReduce(at::Tensor& values, c10d::ReduceOp::RedOpType operation, CollectiveTag& tag);

private:
    struct Connection { ///< how the ranks reach each other
        bool loopback = true;
        GroupOptions options;
    };
    ObservedGroup(c10::intrusive_ptr<c10d::Store> store, c10::intrusive_ptr<c10d::Backend> inner, std::uint32_t number,
                  Connection connection, std::shared_ptr<observer::RankTelemetry> telemetry);
    static Result<std::unique_ptr<ObservedGroup>> connect(c10::intrusive_ptr<c10d::Store> store, int rank,
                                                          int worldSize, std::uint32_t number, Connection connection,
                                                          std::shared_ptr<observer::RankTelemetry> telemetry);

    Connection m_connection;
    c10::intrusive_ptr<c10d::Store> m_store;
    std::shared_ptr<observer::RankTelemetry> m_telemetry;
    c10::intrusive_ptr<ObservingBackend> m_backend;
    c10::intrusive_ptr<c10d::ProcessGroup> m_group;
    at::Device m_device;
};

/// Gathers `input` [n] of all ranks, one after the other, into `output` [ranks x n]. `group`: a c10d::ProcessGroup.
/// Wraps LibTorch 2.15's all_gather_single, which 2.11 calls _allgather_base; 2.15 warns about the old name.
template <class Group> auto allGatherSingle(Group& group, at::Tensor& output, at::Tensor& input) {
    if constexpr (requires { group.all_gather_single(output, input); })
        return group.all_gather_single(output, input);
    else
        return group._allgather_base(output, input);
}

} // namespace rankscope::trainer
