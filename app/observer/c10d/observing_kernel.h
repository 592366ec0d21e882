// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/observer/c10d/call_observer.h"

#include <ATen/core/boxing/OperatorKernel.h>
#include <ATen/core/dispatch/Dispatcher.h>

#include <cstdint>

namespace rankscope::observer {

/// The kernel of one operator, whatever its arguments are: reports the call, passes it on to the backend unchanged, and
/// reports its end.
class ObservingKernel final : public c10::OperatorKernel {
public:
    ObservingKernel(const CallReader& reader, KernelState& state) : m_reader(reader), m_observer(reader.op(), state) {}

    void operator()(const c10::OperatorHandle& op, c10::DispatchKeySet keys, torch::jit::Stack* stack);

private:
    void follow(torch::jit::Stack& stack, std::uint64_t handle);

    CallReader m_reader;
    CallObserver m_observer;
};

} // namespace rankscope::observer
