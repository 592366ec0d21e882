// SPDX-License-Identifier: Apache-2.0
// NVIDIA's management library, loaded on request. Machines without it lack only these figures.
#pragma once

#include "core/base/values/error.h"

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace rankscope::launch {

/// A device's current values; negative: the driver does not report them.
struct GpuFacts {
    std::int64_t totalBytes = -1, usedBytes = -1;          ///< of the whole device, used by all processes
    std::vector<std::pair<pid_t, std::int64_t>> processes; ///< with their bytes, -1: unknown
    int computeCapability = -1;                            ///< 80: 8.0
    double smClockMHz = -1, smClockMaxMHz = -1, celsius = -1;
    std::string throttle; ///< "power limit, temperature"; empty: not slowed down, or unknown
};

/// The loaded library.
class Nvml {
public:
    /// Loads the library. `library`: a name as dlopen takes it. Returns NotFound if it is not installed, Unsupported if
    /// it has no device or does not start.
    static Result<Nvml> load(const std::string& library = "libnvidia-ml.so.1");
    Nvml(Nvml&&) noexcept;
    Nvml& operator=(Nvml&&) noexcept;
    ~Nvml();

    /// Returns the values of all devices, in the driver's order. Takes some milliseconds per device, and longer if one
    /// is faulty.
    std::vector<GpuFacts> devices() const;

private:
    struct Api;
    explicit Nvml(std::unique_ptr<Api> api);
    std::unique_ptr<Api> m;
};

/// Returns the driver's bits in words; idling is left out.
std::string throttleWords(std::uint64_t reasons);

} // namespace rankscope::launch
