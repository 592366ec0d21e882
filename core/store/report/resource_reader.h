// SPDX-License-Identifier: Apache-2.0
// What the ranks took of their machine, as series over time: memory and CPU as they told it each second, GPU memory as
// the supervisor or they measured it. Read-only; every query is bounded. One object per thread.
#pragma once

#include "core/base/values/error.h"
#include "core/store/open/open_store.h"
#include "core/store/tables/metrics.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <vector>

namespace rankscope::store {

enum class Resource : std::uint8_t { Memory, Cpu, GpuMemory, GpuUse };

struct ResourceInfo {
    Resource resource;
    const char* name; ///< as layouts of plots name it
};
std::span<const ResourceInfo> resources();

class ResourceReader {
public:
    static Result<ResourceReader> open(const std::filesystem::path& file);

    /// At most maxPoints + 1 points over a time range, since the run's start: resident set and GPU memory in bytes, CPU
    /// time per time (1: one core busy), GPU utilisation in percent. What is merged keeps smallest, largest and mean;
    /// groups begin at multiples of their size. Points have times and no steps; what was not measured has no point.
    Result<std::vector<SeriesPoint>> series(Resource resource, int rank, std::int64_t fromNs, std::int64_t toNs,
                                            int maxPoints);
    /// Some rank has it at some time of the run.
    Result<bool> isRecorded(Resource resource);

private:
    ResourceReader(std::unique_ptr<OpenStore> store, bool facts) : m_store(std::move(store)), m_hasFacts(facts) {}

    std::unique_ptr<OpenStore> m_store;
    bool m_hasFacts; ///< of before version 3 there are none
};

} // namespace rankscope::store
