// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/values/byte_codec.h"

#include <cstddef>
#include <cstdint>
#include <deque>

namespace rankscope::diagnosis {

/// The monotonic clock without the periods in which the whole run was paused. The detector measures everything in
/// active time, so that no wait, step or phase includes a pause.
class ActiveClock {
public:
    /// The period between two monotonic times.
    struct Pause {
        std::int64_t beginNs = 0, endNs = 0;
    };

    /// `mostPauses`: how many pauses are kept. Periods before older ones are measured as if these had not happened.
    explicit ActiveClock(std::size_t mostPauses = kMostPauses) : m_most(mostPauses) {}

    /// Adds a pause, or extends the newest one if the two touch. A pause that ends before the newest one begins is
    /// ignored.
    void add(Pause pause);
    bool hasPauses() const { return !m_pauses.empty(); }

    /// Converts a monotonic time; 0, which means unknown, stays 0. All times within a pause become that of its
    /// beginning.
    std::int64_t active(std::int64_t monotonicNs) const;
    /// Converts an active time back. The beginning of a pause becomes the pause's end.
    std::int64_t monotonic(std::int64_t activeNs) const;
    /// Returns how much of the time between two monotonic times was paused.
    std::int64_t pausedIn(std::int64_t fromNs, std::int64_t toNs) const;

    void save(ByteEncoder& out) const;
    /// Returns false if the bytes are not a valid state.
    bool load(ByteDecoder& in);

private:
    static constexpr std::size_t kMostPauses = 64; ///< of a saved state
    std::size_t m_most;
    std::deque<Pause> m_pauses;     ///< the newest ones, ascending
    std::int64_t m_forgottenNs = 0; ///< length of all older ones
};

} // namespace rankscope::diagnosis
