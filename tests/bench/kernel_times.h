// SPDX-License-Identifier: Apache-2.0
// Measures what a GPU spends its time on, kernel by kernel, with torch's own profiler (Kineto, CUPTI).
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

/// Returns the times of all kernels that `work` ran on GPUs, the longest first; empty without a GPU. `work` must wait
/// for its kernels to end.
std::vector<KernelTime> kernelTimes(const std::function<void()>& work);

} // namespace rankscope::bench
