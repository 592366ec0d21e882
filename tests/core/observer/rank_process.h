// SPDX-License-Identifier: Apache-2.0
// The C interface as a watched program uses it. A process has one rank, so each rank is a forked process, which writes;
// the test reads what it wrote.
#pragma once

#include "core/observer/rank_interface.h"
#include "core/telemetry/board/board.h"
#include "core/telemetry/journal/journal_reader.h"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <limits>
#include <string>
#include <thread>
#include <vector>

namespace rankscope::test {

using namespace telemetry;

namespace fs = std::filesystem;

inline constexpr int kFloat = 6, kInt = 3; ///< c10::ScalarType
inline constexpr int kAllReduce = static_cast<int>(CollectiveOp::AllReduce);
inline constexpr int kBroadcast = static_cast<int>(CollectiveOp::Broadcast);
inline constexpr int kSend = static_cast<int>(CollectiveOp::Send);
inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// Opens the rank. Returns the error; empty if there is none.
inline std::string openRank(const fs::path& run, int rank, int worldSize = 2, std::int64_t totalSteps = 0) {
    const rs_identity identity{rank, worldSize, rank, totalSteps, 0, "cpu"};
    std::array<char, 400> error{};
    return rs_open(run.c_str(), &identity, error.data(), error.size()) == 0 ? "" : std::string(error.data());
}

/// A number that forked processes share.
class SharedNumber {
public:
    SharedNumber()
        : m_page(::mmap(nullptr, sizeof(std::int64_t), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)) {}
    ~SharedNumber() { ::munmap(m_page, sizeof(std::int64_t)); }
    SharedNumber(const SharedNumber&) = delete;
    SharedNumber& operator=(const SharedNumber&) = delete;
    std::atomic_ref<std::int64_t> operator*() const { return std::atomic_ref(*static_cast<std::int64_t*>(m_page)); }
    void await(std::int64_t value) const {
        while (**this != value)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }

private:
    void* m_page;
};

/// Runs `what` in a forked process. Returns its exit code: 0 if every check in it held; 128 + the signal that ended it.
inline int inChild(const std::function<bool()>& what) {
    const pid_t pid = ::fork();
    if (pid == 0)
        ::_exit(what() ? 0 : 1);
    int status = 0;
    ::waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

inline std::uint64_t runCollective(std::uint32_t group, int op, const char* tag, int blocking = 0,
                                   std::int64_t elements = 1) {
    const std::uint64_t handle = rs_enter(group, op, kFloat, elements, tag, blocking);
    rs_handed(handle);
    rs_done(handle, 0);
    return handle;
}

inline std::vector<AnyRecord> recordsOf(const fs::path& run, int rank) {
    JournalReader reader(run / "ranks" / std::to_string(rank));
    std::vector<AnyRecord> records;
    while (reader.read(records, 10'000, true) > 0) {
    }
    return reader.counters().malformed == 0 && reader.counters().unknown == 0 ? records : std::vector<AnyRecord>{};
}

template <class R> std::vector<R> all(const std::vector<AnyRecord>& records) {
    std::vector<R> found;
    for (const auto& any : records)
        if (const R* record = any.as<R>())
            found.push_back(*record);
    return found;
}

inline std::string tagOf(const CollectiveRecord& record) {
    return std::string(getText(record.tag, sizeof record.tag));
}

inline BoardSnapshot boardOf(const fs::path& run, int rank) {
    return BoardReader::open(run / "ranks" / std::to_string(rank) / "board").value().snapshot();
}

} // namespace rankscope::test
