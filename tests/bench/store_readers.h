// SPDX-License-Identifier: Apache-2.0
// Readers that run at the same time as the writer: they measure how long a plot's query takes meanwhile, and whether a
// lock ever blocks one.
#pragma once

#include "core/base/values/error.h"

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <thread>
#include <vector>

namespace rankscope::bench {

struct ReadersResult {
    std::int64_t queries = 0, failed = 0; ///< failed: includes those that ended with Busy
    std::int64_t locked = 0;              ///< how often SQLite called the busy handler because of a lock
    std::vector<std::int64_t> ns;         ///< of each query, sorted
    std::string firstError;
};

/// Threads that query a plot's series again and again, each over a separate connection.
class StoreReaders {
public:
    StoreReaders(std::filesystem::path file, int threads, int ranks, int pauseMs);
    ~StoreReaders();
    void setStored(std::int64_t steps) { m_stored = steps; } ///< called by the writer; any thread
    ReadersResult stop();

private:
    void read(std::uint32_t seed, ReadersResult& result);

    std::filesystem::path m_file;
    int m_ranks, m_pauseMs;
    std::atomic<std::int64_t> m_stored{0};
    std::atomic<bool> m_ends{false};
    std::vector<ReadersResult> m_results;
    std::vector<std::thread> m_threads;
};

} // namespace rankscope::bench
