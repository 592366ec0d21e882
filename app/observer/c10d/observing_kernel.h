// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/observer/c10d/call_places.h"
#include "app/observer/c10d/call_reader.h"
#include "app/observer/c10d/group_numbers.h"

#include <ATen/core/boxing/OperatorKernel.h>
#include <ATen/core/dispatch/Dispatcher.h>

#include <atomic>
#include <cstdint>
#include <typeinfo>

namespace rankscope::observer {

/// What all kernels share. One, which is never freed.
struct KernelState {
    KernelState(rs_c10d_resolve resolve, rs_c10d_group group) : groups(group), places(resolve) {}

    GroupNumbers groups;
    CallPlaces places;
    std::atomic<bool> off{false}; ///< after the first error
};

/// The kernel of one operator: reports the call, passes it on to the backend as it is, and reports its end.
class ObservingKernel final : public c10::OperatorKernel {
public:
    ObservingKernel(const CallReader& reader, KernelState& state) : m_reader(reader), m_state(state) {}

    void operator()(const c10::OperatorHandle& op, c10::DispatchKeySet keys, torch::jit::Stack* stack);

private:
    std::uint64_t enter(const torch::jit::Stack& stack) noexcept;
    std::uint64_t enterGroup(std::uint32_t group, const torch::jit::Stack& stack);
    void followWork(torch::jit::Stack& stack, std::uint64_t handle) noexcept;
    bool hasFuture(const c10d::Work& work) const;
    c10::intrusive_ptr<c10::ivalue::Future> futureOf(c10d::Work& work);
    void switchOff() noexcept;

    CallReader m_reader;
    KernelState& m_state;
    std::atomic<const std::type_info*> m_futureless{nullptr}; ///< a class of work that has no future
};

} // namespace rankscope::observer
