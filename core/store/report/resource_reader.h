// SPDX-License-Identifier: Apache-2.0
// Reads the ranks' use of their machine as series over time: memory and CPU as each rank reports them every second, GPU
// memory as measured by the supervisor or the rank. Read-only; every query is bounded. Use one object per thread.
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
    const char* name; ///< the name used in plot layouts
};
std::span<const ResourceInfo> resources();

class ResourceReader {
public:
    static Result<ResourceReader> open(const std::filesystem::path& file);

    /// Returns at most maxPoints + 1 points over a time range, since the run's start: resident set and GPU memory in
    /// bytes, CPU time per time (1: one core busy), GPU utilization in percent. Merged points keep smallest, largest
    /// and mean; groups begin at multiples of their size. Points have times and no steps; there is no point where
    /// nothing was measured.
    Result<std::vector<SeriesPoint>> series(Resource resource, int rank, std::int64_t fromNs, std::int64_t toNs,
                                            int maxPoints);
    /// Returns whether any rank recorded it at any time of the run.
    Result<bool> isRecorded(Resource resource);

private:
    ResourceReader(std::unique_ptr<OpenStore> store, bool facts) : m_store(std::move(store)), m_hasFacts(facts) {}

    std::unique_ptr<OpenStore> m_store;
    bool m_hasFacts; ///< stores before version 3 have none
};

} // namespace rankscope::store
