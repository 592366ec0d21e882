// SPDX-License-Identifier: Apache-2.0
// NVIDIA's management library, loaded when it is asked for. Machines without it lose nothing but these figures.
#pragma once

#include "core/base/values/error.h"

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace rankscope::launch {

/// A device now; negative: the driver does not say.
struct GpuFacts {
    std::int64_t totalBytes = -1, usedBytes = -1;          ///< of the device, by all
    std::vector<std::pair<pid_t, std::int64_t>> processes; ///< with their bytes, -1: unknown
    int computeCapability = -1;                            ///< 80: 8.0
    double smClockMHz = -1, smClockMaxMHz = -1, celsius = -1;
    std::string throttle; ///< "power limit, temperature"; empty: it does not slow down, or unknown
};

class Nvml {
public:
    /// `library`: a name as dlopen takes it. NotFound: it is not installed; Unsupported: it has no device or will not
    /// start.
    static Result<Nvml> load(const std::string& library = "libnvidia-ml.so.1");
    Nvml(Nvml&&) noexcept;
    Nvml& operator=(Nvml&&) noexcept;
    ~Nvml();

    std::vector<GpuFacts> devices() const; ///< may take some milliseconds each, and longer when a device is sick

private:
    struct Api;
    explicit Nvml(std::unique_ptr<Api> api);
    std::unique_ptr<Api> m;
};

/// In words, of the driver's bits; idling is none.
std::string throttleWords(std::uint64_t reasons);

} // namespace rankscope::launch
