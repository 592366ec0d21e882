// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/distributed/observe/observed_group.h"

#include "core/base/values/result.h"
#include "core/trainer/distributed/nccl/nccl_plugin.h"
#include "core/trainer/distributed/rendezvous/rendezvous.h"
#include "core/trainer/exception_text.h"

#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>

#include <fmt/format.h>

#include <cstdlib>
#include <sstream>
#include <utility>

namespace rankscope::trainer {
namespace {

c10::intrusive_ptr<c10d::Backend> makeGloo(const c10::intrusive_ptr<c10d::Store>& store, int rank, int worldSize,
                                           bool loopback, const GroupOptions& options) {
    auto gloo = c10d::ProcessGroupGloo::Options::create(options.joinTimeout);
    const char* interfaces = std::getenv("GLOO_SOCKET_IFNAME");
    if (loopback) {
        gloo->devices.push_back(c10d::ProcessGroupGloo::createDeviceForHostname("127.0.0.1"));
    } else if (interfaces && *interfaces) {
        std::istringstream names(interfaces);
        for (std::string name; std::getline(names, name, ',');)
            gloo->devices.push_back(c10d::ProcessGroupGloo::createDeviceForInterface(name));
    } else if (!options.address.empty()) {
        gloo->devices.push_back(c10d::ProcessGroupGloo::createDeviceForHostname(options.address));
    } else {
        gloo->devices.push_back(c10d::ProcessGroupGloo::createDefaultDevice());
    }
    // connects to every peer
    auto backend = c10::make_intrusive<c10d::ProcessGroupGloo>(store, rank, worldSize, gloo);
    backend->setTimeout(options.collectiveTimeout);
    return backend;
}

} // namespace

ObservedGroup::ObservedGroup(c10::intrusive_ptr<c10d::Store> store, c10::intrusive_ptr<c10d::Backend> inner,
                             std::uint32_t number, Connection connection,
                             std::shared_ptr<observer::RankTelemetry> telemetry)
    : m_connection(std::move(connection)), m_store(std::move(store)), m_telemetry(std::move(telemetry)),
      m_backend(c10::make_intrusive<ObservingBackend>(std::move(inner), number, m_telemetry)),
      m_group(c10::make_intrusive<c10d::ProcessGroup>(m_store, m_backend->getRank(), m_backend->getSize())),
      m_device(m_connection.options.device) {
    m_group->setBackend(m_device.type(), c10d::ProcessGroup::BackendType::CUSTOM, m_backend);
    m_group->setDefaultBackend(c10d::ProcessGroup::BackendType::CUSTOM);
}

Result<std::unique_ptr<ObservedGroup>> ObservedGroup::connect(c10::intrusive_ptr<c10d::Store> store, int rank,
                                                              int worldSize, std::uint32_t number,
                                                              Connection connection,
                                                              std::shared_ptr<observer::RankTelemetry> telemetry) {
    const GroupOptions& options = connection.options;
    try {
        c10::intrusive_ptr<c10d::Backend> inner;
        if (options.device.is_cuda() && !options.gloo) {
            RS_TRY_ASSIGN(inner, makeNcclBackend(store, rank, worldSize, options.device, options.collectiveTimeout));
        } else {
            inner = makeGloo(store, rank, worldSize, connection.loopback, options);
        }
        return std::unique_ptr<ObservedGroup>(
            new ObservedGroup(std::move(store), std::move(inner), number, std::move(connection), std::move(telemetry)));
    } catch (const std::exception& error) {
        return fail(Errc::Io, {"cannot connect to the other ranks: {}", firstLine(error)},
                    fmt::format("rank {}", rank));
    }
}

Result<std::unique_ptr<ObservedGroup>> ObservedGroup::over(c10::intrusive_ptr<c10d::Store> store, int rank,
                                                           int worldSize, bool loopback, const GroupOptions& options,
                                                           std::shared_ptr<observer::RankTelemetry> telemetry) {
    return connect(std::move(store), rank, worldSize, 0, {loopback, options}, std::move(telemetry));
}

Result<std::unique_ptr<ObservedGroup>> ObservedGroup::another(std::uint32_t number, at::Device device) const {
    Connection connection = m_connection;
    connection.options.device = device;
    auto store = c10::make_intrusive<c10d::PrefixStore>(fmt::format("group/{}", number), m_store);
    return connect(std::move(store), rank(), size(), number, std::move(connection), m_telemetry);
}

void disableFlightRecorder() {
    ::setenv("TORCH_FR_BUFFER_SIZE", "0", 0);
}

Result<std::unique_ptr<ObservedGroup>> ObservedGroup::join(const RankEnvironment& me, const GroupOptions& options,
                                                           std::shared_ptr<observer::RankTelemetry> telemetry) {
    RS_TRY_ASSIGN(auto store, connectStore(me, options.joinTimeout));
    RS_TRY(awaitRanks(*store, me.rank, me.worldSize, options.joinTimeout));
    if (options.met)
        RS_TRY(options.met(*store));
    GroupOptions here = options;
    here.met = nullptr;
    if (!me.onLoopback())
        here.address = ownAddressTowards(me.masterAddress, me.masterPort);
    return over(std::move(store), me.rank, me.worldSize, me.onLoopback(), here, std::move(telemetry));
}

void ObservedGroup::barrier(std::string_view name) {
    CollectiveTag tag("barrier", name, CollectiveTag::Exposure::Kept);
    c10d::BarrierOptions options;
    options.device = m_device;
    waitExposed(tag, m_backend->barrier(options)); // ProcessGroup's own barrier shares a tensor between all threads
}

at::Tensor ObservedGroup::allGather(const at::Tensor& local, CollectiveTag& tag) {
    at::Tensor input = local.contiguous();
    at::Tensor output = at::empty({size() * input.numel()}, input.options());
    waitExposed(tag, allGatherSingle(*m_group, output, input));
    return output.view({size(), input.numel()}); // [size, n]
}

void ObservedGroup::allReduce(at::Tensor& values, c10d::ReduceOp::RedOpType operation, CollectiveTag& tag) {
    std::vector<at::Tensor> tensors{values};
    c10d::AllreduceOptions options;
    options.reduceOp = operation;
    waitExposed(tag, m_group->allreduce(tensors, options));
}

} // namespace rankscope::trainer
