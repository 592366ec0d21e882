// SPDX-License-Identifier: Apache-2.0
#include "app/observer/c10d/observing_kernel.h"

namespace rankscope::observer {

void ObservingKernel::operator()(const c10::OperatorHandle& op, c10::DispatchKeySet keys, torch::jit::Stack* stack) {
    const std::uint64_t handle = m_observer.enter([&] { return m_reader.read(*stack); });
    if (handle == 0) {
        op.redispatchBoxed(keys & kBelow, stack);
        return;
    }
    try {
        op.redispatchBoxed(keys & kBelow, stack);
    } catch (...) {
        m_observer.refused(handle);
        throw;
    }
    follow(*stack, handle);
}

void ObservingKernel::follow(torch::jit::Stack& stack, std::uint64_t handle) {
    c10::intrusive_ptr<c10d::Work> work;
    if (m_reader.returnsWork() && stack.back().isCustomClass())
        work = stack.back().toCustomClass<c10d::Work>();
    const c10d::Work* const given = work.get();
    m_observer.follow(work, handle);
    if (work.get() != given)
        stack.back() = c10::IValue(std::move(work));
}

} // namespace rankscope::observer
