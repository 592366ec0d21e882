// SPDX-License-Identifier: Apache-2.0
// Readers beside the writer: how long a plot's query takes while the store takes in, and whether a lock is ever in the
// way of one.
#pragma once

#include "core/base/values/error.h"

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <thread>
#include <vector>

namespace rankscope::bench {

struct ReadersResult {
    std::int64_t queries = 0, failed = 0; ///< failed: also each that ended with Busy
    std::int64_t locked = 0;              ///< how often SQLite asked what to do about a lock that it met
    std::vector<std::int64_t> ns;         ///< of each query, sorted
    std::string firstError;
};

/// Threads that ask for a plot's series again and again, each with a connection of its own.
class StoreReaders {
public:
    StoreReaders(std::filesystem::path file, int threads, int ranks, int pauseMs);
    ~StoreReaders();
    void setStored(std::int64_t steps) { m_stored = steps; } ///< by the writer, from any thread
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
