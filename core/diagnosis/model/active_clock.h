// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/values/byte_codec.h"

#include <cstdint>
#include <deque>

namespace rankscope::diagnosis {

/// The monotonic clock without the stretches in which the whole run stood still. The detector measures everything in
/// active time, so that a pause is part of no wait, step or phase.
class ActiveClock {
public:
    /// Between two monotonic times.
    struct Pause {
        std::int64_t beginNs = 0, endNs = 0;
    };

    /// Adds a pause, or makes the newest one longer where both touch. A pause that ends before the newest one begins is
    /// ignored.
    void add(Pause pause);
    bool hasPauses() const { return !m_pauses.empty(); }

    /// Converts a monotonic time; 0, which means unknown, stays 0. All times within a pause become that of its begin.
    std::int64_t active(std::int64_t monotonicNs) const;
    /// Converts an active time back. That of a pause's begin becomes the pause's end.
    std::int64_t monotonic(std::int64_t activeNs) const;
    /// Returns how much of the time between two monotonic times was paused.
    std::int64_t pausedIn(std::int64_t fromNs, std::int64_t toNs) const;

    void save(WireWriter& out) const;
    /// Returns false when the bytes are no such state.
    bool load(WireReader& in);

private:
    std::deque<Pause> m_pauses;     ///< the newest ones, ascending
    std::int64_t m_forgottenNs = 0; ///< length of all older ones
};

} // namespace rankscope::diagnosis
