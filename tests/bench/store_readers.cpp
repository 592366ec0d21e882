// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/store_readers.h"

#include "core/base/values/clock.h"
#include "core/store/read/run_reader.h"

#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <random>

namespace rankscope::bench {

namespace {

using store::Metric;
constexpr int kPoints = 1000;

/// A second connection whose busy handler counts; the reader's own handler would wait without a trace.
class LockProbe {
public:
    bool open(const std::filesystem::path& file) {
        sqlite3* db = nullptr;
        const int code = sqlite3_open_v2(file.c_str(), &db, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, nullptr);
        m_db.reset(db);
        sqlite3_busy_handler(
            db,
            [](void* count, int) {
                ++*static_cast<std::int64_t*>(count);
                return 0; // do not wait: the query fails
            },
            &m_locked);
        return code == SQLITE_OK;
    }
    bool ask(int rank, std::int64_t from) {
        sqlite3_stmt* raw = nullptr;
        const char* sql = "SELECT count(*), max(wait_ns) FROM step WHERE rank = ? AND step >= ?";
        if (sqlite3_prepare_v2(m_db.get(), sql, -1, &raw, nullptr) != SQLITE_OK)
            return false;
        sqlite3_bind_int(raw, 1, rank);
        sqlite3_bind_int64(raw, 2, from);
        const bool row = sqlite3_step(raw) == SQLITE_ROW;
        return sqlite3_finalize(raw) == SQLITE_OK && row;
    }
    std::int64_t locked() const { return m_locked; }
    std::string error() const { return sqlite3_errmsg(m_db.get()); }

private:
    struct Close {
        void operator()(sqlite3* db) const { sqlite3_close(db); }
    };
    std::unique_ptr<sqlite3, Close> m_db;
    std::int64_t m_locked = 0;
};

} // namespace

StoreReaders::StoreReaders(std::filesystem::path file, int threads, int ranks, int pauseMs)
    : m_file(std::move(file)), m_ranks(ranks), m_pauseMs(pauseMs), m_results(static_cast<std::size_t>(threads)) {
    for (std::size_t i = 0; i < m_results.size(); ++i)
        m_threads.emplace_back([this, i] { read(static_cast<std::uint32_t>(i), m_results[i]); });
}

StoreReaders::~StoreReaders() {
    stop();
}

void StoreReaders::read(std::uint32_t seed, ReadersResult& result) {
    const auto failed = [&result](const std::string& why) {
        ++result.failed;
        if (result.firstError.empty())
            result.firstError = why;
    };
    auto reader = store::RunReader::open(m_file);
    LockProbe probe;
    if (!reader || !probe.open(m_file))
        return failed(reader ? probe.error() : reader.error().message());
    std::minstd_rand random(seed + 1);
    constexpr std::array kMetrics{Metric::Loss, Metric::FramesMax, Metric::WaitTotal};
    do {
        const std::int64_t last = std::max<std::int64_t>(m_stored - 1, 0);
        const std::array<std::int64_t, 3> firsts{0, last / 2, std::max<std::int64_t>(last - 500, 0)};
        const std::int64_t first = firsts[random() % firsts.size()];
        const int rank = static_cast<int>(random() % static_cast<unsigned>(m_ranks));
        const std::int64_t begin = monotonicNs();
        const auto series = reader->series(kMetrics[random() % kMetrics.size()], rank, first, last, kPoints);
        result.ns.push_back(monotonicNs() - begin);
        ++result.queries;
        if (!series)
            failed(series.error().message());
        if (!probe.ask(rank, std::max<std::int64_t>(last - 500, 0)))
            failed(probe.error());
        std::this_thread::sleep_for(std::chrono::milliseconds(m_pauseMs));
    } while (!m_ends);
    result.locked = probe.locked();
}

ReadersResult StoreReaders::stop() {
    m_ends = true;
    for (auto& thread : m_threads)
        thread.join();
    m_threads.clear();
    ReadersResult all;
    for (ReadersResult& one : m_results) {
        all.queries += one.queries;
        all.failed += one.failed;
        all.locked += one.locked;
        all.ns.insert(all.ns.end(), one.ns.begin(), one.ns.end());
        if (all.firstError.empty())
            all.firstError = one.firstError;
    }
    std::sort(all.ns.begin(), all.ns.end());
    return all;
}

} // namespace rankscope::bench
