// SPDX-License-Identifier: Apache-2.0
// What a GPU spent its time on, kernel by kernel, as torch's own profiler (Kineto, CUPTI) sees it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace rankscope::bench {

struct KernelTime {
    std::string name; ///< as CUPTI names it; copies and fills are "Memcpy …" and "Memset …"
    double ms = 0;
    std::int64_t calls = 0;
};

/// Of all that `work` ran on GPUs, the longest first; empty without a GPU. `work` must wait for its end.
std::vector<KernelTime> kernelTimes(const std::function<void()>& work);

} // namespace rankscope::bench
