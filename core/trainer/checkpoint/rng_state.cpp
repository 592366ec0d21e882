// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/checkpoint/rng_state.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Context.h>

#include <fmt/format.h>

#include <mutex>

namespace rankscope::trainer {
namespace {

torch::Tensor stateOf(at::Generator generator) {
    const std::scoped_lock lock(generator.mutex());
    return generator.get_state();
}

void setState(at::Generator generator, const torch::Tensor& state) {
    const std::scoped_lock lock(generator.mutex());
    generator.set_state(state);
}

at::Generator generatorOf(const torch::Device& device) {
    return device.is_cpu() ? at::detail::getDefaultCPUGenerator() : at::globalContext().defaultGenerator(device);
}

} // namespace

RngState captureRng(const torch::Device& device) {
    RngState out{stateOf(generatorOf(torch::kCPU)), {}};
    if (!device.is_cpu())
        out.device = stateOf(generatorOf(device));
    return out;
}

Result<void> restoreRng(const RngState& state, const torch::Device& device) {
    if (state.device.defined() == device.is_cpu())
        return fail(Errc::Unsupported,
                    fmt::format("the random numbers were drawn on {}, training goes on on {}: they cannot be continued",
                                state.device.defined() ? "a GPU" : "the CPU", device.str()));
    const RngState before = captureRng(device);
    try {
        setState(generatorOf(torch::kCPU), state.cpu);
        if (state.device.defined())
            setState(generatorOf(device), state.device);
        return {};
    } catch (const c10::Error& e) {
        setState(generatorOf(torch::kCPU), before.cpu);
        return fail(Errc::Malformed,
                    fmt::format("the state of the random numbers cannot be used: {}", e.what_without_backtrace()));
    }
}

} // namespace rankscope::trainer
