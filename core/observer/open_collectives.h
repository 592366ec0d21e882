// SPDX-License-Identifier: Apache-2.0
// The collectives of a rank whose records are not complete yet. Claiming and releasing an entry takes no lock, does not
// allocate and makes no system call.
#pragma once

#include "core/telemetry/format/records.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace rankscope::observer {

class CollectiveLog;

/// Identifies an open collective; 0: none. A handle stays invalid once its collective's record is complete.
using CollectiveHandle = std::uint64_t;

/// A collective that was called and whose record is not complete.
struct OpenCollective {
    CollectiveLog* log = nullptr; ///< of its group
    bool blocking = false;        ///< the calling thread waits for its end
    telemetry::CollectiveRecord record;

private:
    friend class OpenCollectives;
    std::atomic<std::uint64_t> m_state{1u << 4}; ///< generation in the upper bits, missing parts and kUsed in the lower
};

/// A fixed number of entries, which any thread may claim and release.
class OpenCollectives {
public:
    static constexpr std::size_t kMost = 1024; ///< that can be open at once
    /// What a record waits for.
    enum Part : std::uint64_t { HandOver = 1, End = 2, Exposure = 4 };

    /// Claims an entry, whose record the caller fills before it passes the handle on. Returns 0 if all are in use.
    CollectiveHandle claim(std::uint64_t parts);
    OpenCollective& operator[](CollectiveHandle handle) { return m_entries[handle % kMost]; }
    /// Returns the collective if it is open and still waits for `part`, else null.
    OpenCollective* waitingFor(Part part, CollectiveHandle handle);
    /// Removes parts from those that the record waits for. Returns the record if none is left; its entry is free then.
    std::optional<telemetry::CollectiveRecord> release(std::uint64_t parts, CollectiveHandle handle);

private:
    std::array<OpenCollective, kMost> m_entries;
    std::atomic<std::uint64_t> m_next{0}; ///< where the search for a free entry begins
};

} // namespace rankscope::observer
