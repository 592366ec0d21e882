// SPDX-License-Identifier: Apache-2.0
// Records the collectives of one group from the call to the end, on the board and in the journal. Independent of Torch:
// the observing backend feeds it. Nothing here allocates or makes a system call while collectives succeed.
#pragma once

#include "core/base/text/message.h"
#include "core/trainer/distributed/observe/rank_telemetry.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace rankscope::trainer {

class CollectiveLog;

/// A collective in progress. Its record is appended by the last thread to release it: the calling thread, the
/// completing thread, or the one that knows how long the training thread was blocked by it.
struct CollectiveFlight {
    CollectiveLog* log = nullptr;
    telemetry::CollectiveRecord record;
    std::atomic<int> references{0}; ///< 0: this slot is free
};

/// Keeps a record open until it is known how long the collective blocked the training thread.
class PendingExposure {
public:
    PendingExposure() = default;
    explicit PendingExposure(CollectiveFlight* flight) : m_flight(flight) {}
    PendingExposure(PendingExposure&& other) noexcept : m_flight(std::exchange(other.m_flight, nullptr)) {}
    PendingExposure& operator=(PendingExposure&& other) noexcept;
    ~PendingExposure() { close(-1); }

    explicit operator bool() const { return m_flight != nullptr; }
    std::int64_t arrivedNs() const { return m_flight ? m_flight->record.arrivedNs : 0; }
    void close(std::int64_t exposedNs);

private:
    CollectiveFlight* m_flight = nullptr;
};

/// Names the collectives that this thread issues during the tag's lifetime; the innermost tag counts.
class CollectiveTag {
public:
    enum class Exposure : std::uint8_t { Unknown, Kept };

    explicit CollectiveTag(std::string_view name, Exposure exposure = Exposure::Unknown);
    /// "kind:detail"
    CollectiveTag(std::string_view kind, std::string_view detail, Exposure exposure = Exposure::Unknown);
    CollectiveTag(std::string_view kind, std::size_t number, Exposure exposure = Exposure::Unknown);
    CollectiveTag(const CollectiveTag&) = delete;
    CollectiveTag& operator=(const CollectiveTag&) = delete;
    ~CollectiveTag();

    std::string_view text() const { return m_text.data(); }
    /// Returns, with Exposure::Kept, the exposure of the first collective that was issued under this tag.
    PendingExposure& exposure() { return m_exposure; }

    static CollectiveTag* innermost();

private:
    friend class CollectiveLog;
    void put(std::string_view kind, std::string_view detail);

    std::array<char, telemetry::kTagBytes> m_text{};
    CollectiveTag* m_outer;
    bool m_keepExposure;
    PendingExposure m_exposure;
};

/// The first collective of a group that failed on this rank.
struct CollectiveFailure {
    std::string tag;
    telemetry::CollectiveOp op = telemetry::CollectiveOp::Other;
    std::uint64_t sequence = 0;
    std::string reason;
    Message sentence() const; ///< "all-reduce 57 (gradient:3) failed: Connection closed by peer"
};

class CollectiveLog {
public:
    /// If this many collectives are in progress, a call waits until the oldest is done.
    static constexpr std::size_t kInFlight = 1024;

    CollectiveLog(std::uint32_t group, std::shared_ptr<RankTelemetry> telemetry);
    ~CollectiveLog();

    /// Records that the calling thread has arrived.
    CollectiveFlight& enter(telemetry::CollectiveOp op, std::uint8_t dtype, std::int64_t count);
    /// Records that the backend has taken the collective; the calling thread releases it.
    void started(CollectiveFlight& flight);
    /// Records the end (the completing thread).
    void done(CollectiveFlight& flight, bool failed, std::string_view reason = {});

    std::uint64_t entered() const { return m_next.load(std::memory_order_relaxed); }
    std::optional<CollectiveFailure> failure() const;

private:
    friend class PendingExposure;
    CollectiveFlight& claim(std::uint64_t sequence);
    void advance(std::uint64_t sequence, std::int64_t atNs);
    void release(CollectiveFlight& flight);

    const std::uint32_t m_group;
    std::shared_ptr<RankTelemetry> m_telemetry;
    std::unique_ptr<std::array<CollectiveFlight, kInFlight>> m_flights;
    std::atomic<std::uint64_t> m_next{0};

    mutable std::mutex m_mutex; ///< serializes the completing threads
    std::array<bool, kInFlight> m_done{};
    std::uint64_t m_left = 0;
    std::optional<CollectiveFailure> m_failure;
};

} // namespace rankscope::trainer
