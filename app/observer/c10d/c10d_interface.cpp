// SPDX-License-Identifier: Apache-2.0
#include "app/observer/c10d/c10d_interface.h"

#include "app/observer/c10d/observing_kernel.h"
#include "app/observer/c10d/typed_kernels.h"

#include <torch/library.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <memory>
#include <string_view>

namespace rankscope::observer {
namespace {

/// Never freed: kernels may run until the process ends.
KernelState* g_state = nullptr;

int registerKernels(KernelState& state) {
    auto& dispatcher = c10::Dispatcher::singleton();
    auto* library =
        new torch::Library(torch::Library::IMPL, "c10d", c10::DispatchKey::BackendSelect, __FILE__, __LINE__);
    int count = 0;
    for (const c10::OperatorName& name : dispatcher.getAllOpNames()) {
        if (!name.name.starts_with("c10d::") || !name.overload_name.empty())
            continue;
        const auto op = dispatcher.findSchema(name);
        const auto reader = op ? CallReader::of(op->schema()) : std::nullopt;
        if (!reader)
            continue;
        if (!registerTyped(*library, *op, state))
            library->impl(name.name.c_str(),
                          torch::CppFunction::makeFromBoxedFunctor(std::make_unique<ObservingKernel>(*reader, state)));
        ++count;
    }
    return count;
}

void say(char* error, std::size_t size, std::string_view text) {
    if (!error || size == 0)
        return;
    const std::size_t length = std::min(text.size(), size - 1);
    std::memcpy(error, text.data(), length);
    error[length] = '\0';
}

} // namespace
} // namespace rankscope::observer

using namespace rankscope::observer;

// NOLINTBEGIN(readability-identifier-naming): named like C symbols
extern "C" {

int rs_c10d_install(rs_c10d_resolve resolve, rs_c10d_group group, char* error, size_t error_size) {
    static int count = -1;
    say(error, error_size, "");
    try {
        if (g_state) {
            g_state->groups.forget();
            return count;
        }
        g_state = new KernelState(resolve, group);
        count = registerKernels(*g_state);
    } catch (const std::exception& e) {
        say(error, error_size, e.what());
    }
    return count;
}

void rs_c10d_raise_later(void* exception) {
    InterruptedCallback::keep(exception);
}

} // extern "C"
// NOLINTEND(readability-identifier-naming)
