// SPDX-License-Identifier: Apache-2.0
#include "app/observer/c10d/call_observer.h"

#include "app/observer/c10d/watched_work.h"
#include "core/observer/rank_interface.h"

#include <ATen/core/ivalue.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/functions/accumulate_grad.h>

namespace rankscope::observer {
namespace {

using telemetry::CollectiveOp;

/// The same as in core/trainer/distributed: messages between two ranks are numbered separately from the group's
/// collectives.
constexpr std::uint32_t kPointToPointGroup = 0x8000'0000u;

/// Returns whether this thread has just accumulated a parameter's gradient, which is where DDP and FSDP hand over their
/// buckets. Returns false for calls that a node of the graph makes itself (SyncBatchNorm, tensor parallelism).
bool inGradientHook() {
    const auto node = torch::autograd::get_current_node();
    return node && typeid(*node) == typeid(torch::autograd::AccumulateGrad);
}

bool reducesGradients(CollectiveOp op) {
    return op == CollectiveOp::AllReduce || op == CollectiveOp::ReduceScatter;
}

} // namespace

bool CallObserver::isOn() const noexcept {
    return rs_is_open() && !m_state.off.load(std::memory_order_relaxed);
}

std::uint64_t CallObserver::report(const CallFacts& call) {
    std::uint32_t group = call.group ? m_state.groups.of(*call.group) : RS_C10D_UNKNOWN_GROUP;
    if (group == RS_C10D_UNKNOWN_GROUP)
        return 0;
    if (m_op == CollectiveOp::Send || m_op == CollectiveOp::Recv)
        group |= kPointToPointGroup;
    const int op = static_cast<int>(m_op);
    const bool blocks = call.async && !*call.async;
    if (reducesGradients(m_op) && inGradientHook())
        return rs_enter(group, op, call.dtype, call.elements, call.floating ? nullptr : "ddp:used_parameters", blocks);
    const bool isTagged = rs_current_tag() != nullptr;
    if (isTagged && call.async)
        return rs_enter(group, op, call.dtype, call.elements, nullptr, blocks);
    const std::optional<CallPlaces::Place> place = m_state.places.ofCaller();
    const char* tag = place && !isTagged && place->tag[0] != '\0' ? place->tag.data() : nullptr;
    const bool waits = place && (place->alwaysWaits || (place->waits && !call.async));
    return rs_enter(group, op, call.dtype, call.elements, tag, waits || blocks);
}

void CallObserver::refused(std::uint64_t handle) noexcept {
    rs_handed(handle);
    rs_done(handle, 1);
}

void CallObserver::follow(c10::intrusive_ptr<c10d::Work>& work, std::uint64_t handle) noexcept {
    rs_handed(handle);
    try {
        if (!work) {
            rs_done(handle, 0);
            return;
        }
        const auto future = futureOf(*work);
        if (future)
            future->addCallback([handle](c10::ivalue::Future& ended) { rs_done(handle, ended.hasError() ? 1 : 0); },
                                /*uses_future=*/false);
        else if (hasFuture(*work))
            rs_done(handle, 0);
        else
            work = c10::make_intrusive<WatchedWork>(work, handle);
    } catch (...) {
        rs_done(handle, 0);
        switchOff();
    }
}

bool CallObserver::hasFuture(const c10d::Work& work) const {
    const std::type_info* futureless = m_futureless.load(std::memory_order_relaxed);
    return !futureless || typeid(work) != *futureless;
}

/// Returns null if the work has no future. PyTorch reports that by an exception, which is slow, so that it is asked
/// only once for each class of work.
c10::intrusive_ptr<c10::ivalue::Future> CallObserver::futureOf(c10d::Work& work) {
    if (!hasFuture(work))
        return {};
    try {
        return work.getFuture();
    } catch (const c10::Error&) {
        m_futureless.store(&typeid(work), std::memory_order_relaxed);
        return {};
    }
}

void CallObserver::switchOff() noexcept {
    if (!m_state.off.exchange(true))
        rs_note(2, "The kernels for PyTorch's collectives failed and are off: collectives are no longer seen.");
}

} // namespace rankscope::observer
