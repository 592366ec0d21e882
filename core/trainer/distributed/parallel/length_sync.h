// SPDX-License-Identifier: Apache-2.0
// Lets the ranks agree on the longest input before an encoder forward (NeMo ConformerEncoder.sync_max_audio_length),
// optionally after a barrier.
#pragma once

#include "core/trainer/distributed/observe/observed_group.h"

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>

namespace rankscope::trainer {

/// A length sync that this rank stopped waiting for.
struct LengthTimeout {
    std::int64_t waitedNs = 0;
    std::int64_t localMax = 0;  ///< the length that it continues with
    std::uint64_t sequence = 0; ///< of the collective in its group
    std::int64_t timeouts = 0;  ///< of this rank so far, including this one
};

/// With a timeout the sync runs in a separate group, over Gloo on any device. A rank enters every sync, in the order of
/// its forwards, even one that it does not wait for: the n-th of one rank always meets the n-th of the others, however
/// late, and never another collective. Continuing with the rank's own maximum is exact: only the length of the position
/// table depends on the result; no trained value does.
class LengthSync {
public:
    struct Options {
        std::optional<std::chrono::milliseconds> timeout; ///< none: as in NeMo, until the last rank has arrived
        bool barrier = false;                             ///< run the barrier of meet()
    };
    using TimeoutHandler = std::function<void(const LengthTimeout&)>;

    /// Creates the sync. All ranks call it together, with the same options. Connects the separate group if there is a
    /// timeout.
    static Result<std::unique_ptr<LengthSync>> create(std::shared_ptr<ObservedGroup> group, const Options& options,
                                                      TimeoutHandler told);

    /// Returns the largest `localMax` of all ranks, or `localMax` after a timeout. Tag "sync_max_audio_length". Throws
    /// if the collective fails.
    std::int64_t largest(std::int64_t localMax);

    bool hasBarrier() const { return m_options.barrier; }
    void meet() { m_group->barrier("before_encoder"); }

    std::int64_t timeouts() const { return m_timeouts; } ///< syncs that timed out
    std::size_t open();                                  ///< entered, no longer waited for, not yet complete

    /// If this many are open, the oldest is waited for.
    static constexpr std::size_t kMostOpen = 256;

private:
    LengthSync(std::shared_ptr<ObservedGroup> group, const Options& options, TimeoutHandler told)
        : m_group(std::move(group)), m_options(options), m_told(std::move(told)) {}

    std::int64_t timed(std::int64_t localMax);

    std::shared_ptr<ObservedGroup> m_group;
    Options m_options;
    TimeoutHandler m_told;
    std::unique_ptr<ObservedGroup> m_own;              ///< null without a timeout
    std::deque<c10::intrusive_ptr<c10d::Work>> m_late; ///< no longer waited for, oldest first
    std::int64_t m_timeouts = 0;
};

} // namespace rankscope::trainer
