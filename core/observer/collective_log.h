// SPDX-License-Identifier: Apache-2.0
// Records the collectives of one group from the call to the end, on the board and in the journal. Whatever intercepts
// the collectives feeds it. Nothing here takes a lock, allocates or makes a system call while collectives succeed.
#pragma once

#include "core/base/text/message.h"
#include "core/observer/open_collectives.h"
#include "core/observer/rank_telemetry.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace rankscope::observer {

/// Point-to-point transfers are not collectives: their numbers differ between ranks, so they are recorded as a separate
/// group, whose number is that of their group with this bit set.
inline constexpr std::uint32_t kPointToPointGroup = 0x8000'0000u;

/// A collective as the calling thread issues it.
struct CollectiveCall {
    telemetry::CollectiveOp op = telemetry::CollectiveOp::Other;
    std::uint8_t dtype = 0;        ///< c10::ScalarType
    std::int64_t count = 0;        ///< elements
    std::string_view tag;          ///< empty: "untagged"
    bool blocking = false;         ///< the calling thread waits for its end, and is blocked until then
    bool measuresExposure = false; ///< the record waits for exposed()
};

/// The first collective of a group that failed on this rank.
struct CollectiveFailure {
    std::string tag;
    telemetry::CollectiveOp op = telemetry::CollectiveOp::Other;
    std::uint64_t sequence = 0; ///< within its group, from 0
    std::string reason;         ///< as the backend gave it
    Message sentence() const;   ///< "all-reduce 57 (gradient:3) failed: Connection closed by peer"
};

/// Any thread may call its functions. A collective's record is appended by the last one to report about it: the calling
/// thread, the completing thread, or the one that knows how long the training thread was blocked by it.
class CollectiveLog {
public:
    /// `group`: its number (RankObserver::group()).
    CollectiveLog(std::uint32_t group, std::shared_ptr<RankTelemetry> telemetry);
    ~CollectiveLog();

    /// Records that the calling thread has arrived. Returns 0 if too many collectives are open: its record is lost.
    CollectiveHandle enter(const CollectiveCall& call);
    /// Records that the backend has taken the collective (the calling thread).
    void started(CollectiveHandle handle);
    /// Records the end (the completing thread). A failure without a reason is not kept for failure().
    void done(CollectiveHandle handle, bool failed, std::string_view reason = {});
    /// Records how long the training thread was blocked, in ns by its own clock; -1: not known.
    void exposed(CollectiveHandle handle, std::int64_t ns);

    /// Returns the number of collectives that enter() was called for.
    std::uint64_t entered() const { return m_next.load(std::memory_order_relaxed); }
    /// Returns the first failure; none: no collective has failed with a reason.
    std::optional<CollectiveFailure> failure() const;

private:
    /// An end that is this many collectives late is no longer waited for.
    static constexpr std::size_t kWindow = 2 * OpenCollectives::kMost;

    void advance(std::uint64_t sequence, std::int64_t atNs);
    void release(std::uint64_t parts, CollectiveHandle handle);
    void keepFailure(const telemetry::CollectiveRecord& record, std::string_view reason);

    const std::uint32_t m_group;
    std::shared_ptr<RankTelemetry> m_telemetry;
    std::atomic<std::uint64_t> m_next{0};
    std::atomic<std::uint64_t> m_left{0};                      ///< all collectives before this one have ended
    std::array<std::atomic<std::uint64_t>, kWindow> m_ended{}; ///< sequence + 1 of the newest that ended, by sequence

    mutable std::mutex m_mutex; ///< of the failure
    std::optional<CollectiveFailure> m_failure;
};

} // namespace rankscope::observer
