// SPDX-License-Identifier: Apache-2.0
#include "app/observer/c10d/observing_kernel.h"

#include "app/observer/c10d/watched_work.h"
#include "core/observer/rank_interface.h"

#include <ATen/core/ivalue.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/functions/accumulate_grad.h>

namespace rankscope::observer {
namespace {

using telemetry::CollectiveOp;

/// As in core/trainer/distributed: two ranks count their messages apart from the group's collectives.
constexpr std::uint32_t kPointToPointGroup = 0x8000'0000u;

const c10::DispatchKeySet kBelow(c10::DispatchKeySet::FULL_AFTER, c10::DispatchKey::BackendSelect);

/// Whether a parameter's gradient has just been accumulated on this thread: DDP and FSDP hand over their buckets there.
/// Calls that a node of the graph makes itself (SyncBatchNorm, tensor parallelism) are not among them.
bool inGradientHook() {
    const auto node = torch::autograd::get_current_node();
    return node && typeid(*node) == typeid(torch::autograd::AccumulateGrad);
}

bool reducesGradients(CollectiveOp op) {
    return op == CollectiveOp::AllReduce || op == CollectiveOp::ReduceScatter;
}

} // namespace

void ObservingKernel::operator()(const c10::OperatorHandle& op, c10::DispatchKeySet keys, torch::jit::Stack* stack) {
    const std::uint64_t handle = enter(*stack);
    if (handle == 0) {
        op.redispatchBoxed(keys & kBelow, stack);
        return;
    }
    try {
        op.redispatchBoxed(keys & kBelow, stack);
    } catch (...) {
        rs_handed(handle);
        rs_done(handle, 1);
        throw;
    }
    rs_handed(handle);
    followWork(*stack, handle);
}

std::uint64_t ObservingKernel::enter(const torch::jit::Stack& stack) noexcept {
    if (!rs_is_open() || m_state.off.load(std::memory_order_relaxed))
        return 0;
    try {
        const auto group = m_reader.group(stack);
        const std::uint32_t number = group ? m_state.groups.of(*group) : RS_C10D_UNKNOWN_GROUP;
        if (number == RS_C10D_UNKNOWN_GROUP)
            return 0;
        return enterGroup(m_reader.isPointToPoint() ? number | kPointToPointGroup : number, stack);
    } catch (...) {
        switchOff();
        return 0;
    }
}

std::uint64_t ObservingKernel::enterGroup(std::uint32_t group, const torch::jit::Stack& stack) {
    const CollectiveOp op = m_reader.op();
    const CallReader::Payload payload = m_reader.payload(stack);
    const auto async = m_reader.isAsync(stack);
    const char* tag = nullptr;
    std::optional<CallPlaces::Place> place;
    if (reducesGradients(op) && inGradientHook()) {
        if (!payload.floating)
            tag = "ddp:used_parameters";
    } else if (!rs_current_tag() || !async) {
        place = m_state.places.ofCaller();
        if (place && !rs_current_tag() && place->tag[0] != '\0')
            tag = place->tag.data();
    }
    const bool waits = place && (place->alwaysWaits || (place->waits && !async));
    return rs_enter(group, static_cast<int>(op), payload.dtype, payload.elements, tag, waits || (async && !*async));
}

void ObservingKernel::followWork(torch::jit::Stack& stack, std::uint64_t handle) noexcept {
    try {
        const auto work = m_reader.returnsWork() && stack.back().isCustomClass()
                              ? stack.back().toCustomClass<c10d::Work>()
                              : c10::intrusive_ptr<c10d::Work>();
        if (!work) { // the backend has waited for it
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
            stack.back() = c10::IValue(c10::intrusive_ptr<c10d::Work>(c10::make_intrusive<WatchedWork>(work, handle)));
    } catch (...) {
        rs_done(handle, 0);
        switchOff();
    }
}

bool ObservingKernel::hasFuture(const c10d::Work& work) const {
    const std::type_info* futureless = m_futureless.load(std::memory_order_relaxed);
    return !futureless || typeid(work) != *futureless;
}

/// Returns null if the work has no future; the first time, PyTorch says so by an exception, which is slow.
c10::intrusive_ptr<c10::ivalue::Future> ObservingKernel::futureOf(c10d::Work& work) {
    if (!hasFuture(work))
        return {};
    try {
        return work.getFuture();
    } catch (const c10::Error&) {
        m_futureless.store(&typeid(work), std::memory_order_relaxed);
        return {};
    }
}

void ObservingKernel::switchOff() noexcept {
    if (!m_state.off.exchange(true))
        rs_note(2, "The kernels for PyTorch's collectives failed and are off: collectives are no longer seen.");
}

} // namespace rankscope::observer
