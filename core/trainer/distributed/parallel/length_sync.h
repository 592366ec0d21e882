// SPDX-License-Identifier: Apache-2.0
// How the ranks agree on the longest input before an encoder forward (NeMo ConformerEncoder.sync_max_audio_length), and
// the barrier that may come before it.
#pragma once

#include "core/trainer/distributed/observe/observed_group.h"

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>

namespace rankscope::trainer {

/// A length sync that this rank did not wait out.
struct LengthTimeout {
    std::int64_t waitedNs = 0;
    std::int64_t localMax = 0;  ///< what it goes on with
    std::uint64_t sequence = 0; ///< of the collective in its group
    std::int64_t timeouts = 0;  ///< of this rank so far, this one included
};

/// With a timeout the sync runs in a group of its own, over Gloo on any device. A rank enters each of them, in the
/// order of its forwards, also one that it does not wait for: the n-th of one rank always meets the n-th of the others,
/// however late, and never another collective. Its own maximum is no guess: only the length of the position table
/// follows from the outcome, no number that is trained on.
class LengthSync {
public:
    struct Options {
        std::optional<std::chrono::milliseconds> timeout; ///< none: as NeMo, until the last rank has come
        bool barrier = false;                             ///< meet() does something
    };
    using Told = std::function<void(const LengthTimeout&)>;

    /// All ranks call it together, with the same options. Connects the group where there is a timeout.
    static Result<std::unique_ptr<LengthSync>> create(std::shared_ptr<ObservedGroup> group, const Options& options,
                                                      Told told);

    /// The largest `localMax` of all ranks, or after a timeout `localMax`. Tag "sync_max_audio_length". Throws when the
    /// collective fails.
    std::int64_t largest(std::int64_t localMax);

    bool hasBarrier() const { return m_options.barrier; }
    void meet() { m_group->barrier("before_encoder"); }

    std::int64_t timeouts() const { return m_timeouts; } ///< waited for in vain
    std::size_t open();                                  ///< entered, left behind, and not complete yet

    /// More than these are not left behind: the oldest is waited for.
    static constexpr std::size_t kMostOpen = 256;

private:
    LengthSync(std::shared_ptr<ObservedGroup> group, const Options& options, Told told)
        : m_group(std::move(group)), m_options(options), m_told(std::move(told)) {}

    std::int64_t timed(std::int64_t localMax);

    std::shared_ptr<ObservedGroup> m_group;
    Options m_options;
    Told m_told;
    std::unique_ptr<ObservedGroup> m_own;              ///< null without a timeout
    std::deque<c10::intrusive_ptr<c10d::Work>> m_late; ///< left behind, oldest first
    std::int64_t m_timeouts = 0;
};

} // namespace rankscope::trainer
