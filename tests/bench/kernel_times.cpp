// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/kernel_times.h"

#include <torch/csrc/autograd/profiler_kineto.h>

#include <algorithm>
#include <map>
#include <set>

namespace rankscope::bench {

std::vector<KernelTime> kernelTimes(const std::function<void()>& work) {
    namespace profiler = torch::autograd::profiler;
    using torch::profiler::impl::ActivityType;
    const torch::profiler::impl::ProfilerConfig config(torch::profiler::impl::ProfilerState::KINETO);
    const std::set<ActivityType> activities{ActivityType::CPU, ActivityType::CUDA};
    profiler::prepareProfiler(config, activities);
    profiler::enableProfiler(config, activities);
    work();
    const auto result = profiler::disableProfiler();
    std::map<std::string, KernelTime> byName;
    for (const auto& event : result->events()) {
        if (event.deviceType() != c10::DeviceType::CUDA)
            continue;
        KernelTime& kernel = byName[event.name()];
        kernel.name = event.name();
        kernel.ms += static_cast<double>(event.durationNs()) / 1e6;
        ++kernel.calls;
    }
    std::vector<KernelTime> all;
    for (auto& [name, kernel] : byName)
        all.push_back(std::move(kernel));
    std::sort(all.begin(), all.end(), [](const KernelTime& a, const KernelTime& b) { return a.ms > b.ms; });
    return all;
}

} // namespace rankscope::bench
