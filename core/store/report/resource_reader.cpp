// SPDX-License-Identifier: Apache-2.0
#include "core/store/report/resource_reader.h"

#include "core/store/tables/pyramid.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

namespace rankscope::store {

namespace {

constexpr std::array kResources{
    ResourceInfo{Resource::Memory, "memory"},
    ResourceInfo{Resource::Cpu, "cpu"},
    ResourceInfo{Resource::GpuMemory, "gpu_memory"},
    ResourceInfo{Resource::GpuUse, "gpu_use"},
};

struct ResourceColumns {
    const char* own;                ///< in table resource
    const char* measured = nullptr; ///< in table fact
};

ResourceColumns columnsOf(Resource resource) {
    switch (resource) {
    case Resource::Memory:
        return {"rss_bytes", "rss_bytes"};
    case Resource::Cpu:
        return {"cpu_ns"};
    case Resource::GpuMemory:
        return {"gpu_bytes", "gpu_used_bytes"};
    case Resource::GpuUse:
        break;
    }
    return {"gpu_percent"};
}

/// -1 and NULL mean not measured; a running process uses more than 0 bytes of memory.
std::string isThere(Resource resource, const char* column) {
    return fmt::format("{}>{}", column, resource == Resource::Memory ? "0" : "=0");
}

/// Gathers points into groups of the same length of time.
class TimeGroups {
public:
    TimeGroups(std::int64_t fromNs, std::int64_t toNs, int maxPoints)
        : m_size((toNs - fromNs) / std::max(maxPoints, 1) + 1) {}

    void add(std::int64_t beginNs, std::int64_t endNs, double value) {
        const SeriesPoint point = pointOf(0, beginNs, endNs, value, true);
        const std::int64_t mine = endNs / m_size;
        if (points.empty() || mine > m_group) { // a point out of order joins the previous group
            points.push_back(emptyPoint());
            m_group = mine;
        }
        merge(points.back(), point);
    }

    std::vector<SeriesPoint> points;

private:
    std::int64_t m_size, m_group = -1;
};

} // namespace

std::span<const ResourceInfo> resources() {
    return kResources;
}

Result<ResourceReader> ResourceReader::open(const std::filesystem::path& file) {
    RS_TRY_ASSIGN(auto store, OpenStore::open(file));
    RS_TRY_ASSIGN(const bool facts, store->has("fact"));
    return ResourceReader(std::move(store), facts);
}

Result<std::vector<SeriesPoint>> ResourceReader::series(Resource resource, int rank, std::int64_t fromNs,
                                                        std::int64_t toNs, int maxPoints) {
    fromNs = std::max(fromNs, -kMostNs);
    toNs = std::min(toNs, kMostNs);
    if (fromNs > toNs)
        return std::vector<SeriesPoint>{};
    const auto [own, measured] = columnsOf(resource);
    const auto rowsOf = [resource](const char* table, const char* column) {
        // also the newest row before the range: CPU load needs two rows, and lines lead into the range
        return fmt::format("SELECT time_ns, {1} FROM {0} WHERE rank=?1 AND time_ns>=coalesce((SELECT max(time_ns) FROM "
                           "{0} WHERE rank=?1 AND time_ns<?2), ?2) AND time_ns<=?3 AND {2}",
                           table, column, isThere(resource, column));
    };
    std::string sql = rowsOf("resource", own);
    if (measured && m_hasFacts)
        sql += " UNION ALL " + rowsOf("fact", measured);
    sql += " ORDER BY 1";
    TimeGroups groups(fromNs, toNs, maxPoints);
    std::int64_t beforeNs = 0;
    double before = -1;
    const auto take = [&](const Statement& row) {
        const std::int64_t timeNs = timeOf(row, 0);
        const double value = row.real(1);
        if (resource != Resource::Cpu)
            groups.add(timeNs, timeNs, value);
        else if (before >= 0 && value >= before && timeNs > beforeNs) // a restarted process counts from 0
            groups.add(beforeNs, timeNs, (value - before) / static_cast<double>(timeNs - beforeNs));
        beforeNs = timeNs;
        before = value;
    };
    RS_TRY(m_store->eachReadable("resource", sql, take, rank, fromNs, toNs));
    return std::move(groups.points);
}

Result<bool> ResourceReader::isRecorded(Resource resource) {
    const auto [own, measured] = columnsOf(resource);
    bool found = false;
    const auto look = [&](const char* table, const char* column) {
        return m_store->eachReadable(
            table, fmt::format("SELECT EXISTS(SELECT 1 FROM {} WHERE {})", table, isThere(resource, column)),
            [&](const Statement& row) { found = found || row.integer(0) != 0; });
    };
    RS_TRY(look("resource", own));
    if (!found && measured && m_hasFacts)
        RS_TRY(look("fact", measured));
    return found;
}

} // namespace rankscope::store
