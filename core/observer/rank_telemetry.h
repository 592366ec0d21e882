// SPDX-License-Identifier: Apache-2.0
// What one rank reports while it runs: its board and journal, and the step and phase that its training thread is in.
#pragma once

#include "core/observer/open_collectives.h"
#include "core/observer/stream_timer.h"
#include "core/telemetry/board/board.h"
#include "core/telemetry/journal/journal_writer.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

namespace rankscope::observer {

/// Writes the board and the journal of one rank. All times are monotonic ns, read by the thread that calls unless a
/// function says otherwise.
class RankTelemetry {
public:
    RankTelemetry(telemetry::BoardWriter board, telemetry::JournalWriter journal);
    /// Creates an object without board and journal, which measures everything and discards it.
    static RankTelemetry detached();
    RankTelemetry(RankTelemetry&& other) noexcept;

    telemetry::BoardWriter& board() { return m_board; }
    telemetry::JournalWriter& journal() { return m_journal; }

    // Called by the training thread.
    /// Begins a step, which the records that follow belong to. Both numbers are counted from 0.
    void beginStep(std::int64_t step, int epoch);
    /// Ends the current phase, appends its record and begins `next`. Phase::None only ends it.
    /// Returns the time of both.
    std::int64_t phase(telemetry::Phase next);
    /// From now on times phases on the device's stream: they begin and end when the device reaches them. The next
    /// Phase::None waits for the device and appends their records. The board continues to show what this thread does.
    void timeByStream(std::unique_ptr<StreamTimer> timer);
    /// Returns to this thread's clock, also for the current phases: the device has failed or hangs, and is not waited
    /// for.
    void timeByThread();

    // Called by any thread.
    /// Returns the phase and the step that the training thread is in; Phase::None and -1 before it begins.
    telemetry::Phase phase() const { return m_phase.load(std::memory_order_relaxed); }
    std::int64_t step() const { return m_step.load(std::memory_order_relaxed); }
    /// Appends a record. Returns false if it is lost because the journal has no room; the board shows how many were.
    template <telemetry::Record R> bool append(const R& record) {
        const bool appended = m_journal.append(record);
        if (!appended)
            m_board.dropped(dropped());
        return appended;
    }
    /// Counts a record that was lost before it could be appended.
    void countLost();
    std::uint64_t dropped() const; ///< records that were lost
    OpenCollectives& openCollectives() { return *m_open; }
    /// Returns how much of [beginNs, endNs] is blocked time that no earlier call has claimed, and claims it, so that
    /// two collectives that the training thread waits for at once do not count twice.
    std::int64_t claimBlocked(std::int64_t beginNs, std::int64_t endNs);

private:
    void appendTimed();

    telemetry::BoardWriter m_board;
    telemetry::JournalWriter m_journal;
    std::atomic<telemetry::Phase> m_phase{telemetry::Phase::None};
    std::atomic<std::int64_t> m_step{-1};
    std::atomic<std::uint64_t> m_lost{0};
    std::atomic<std::int64_t> m_blockedUntilNs{0};
    std::unique_ptr<OpenCollectives> m_open = std::make_unique<OpenCollectives>();
    std::int64_t m_phaseSinceNs = 0, m_phaseStep = -1; ///< of the current phase, which may end after the next step
                                                       ///< began
    std::unique_ptr<StreamTimer> m_timer;              ///< null: this thread's clock
    std::vector<telemetry::PhaseRecord> m_timed;       ///< there is a mark at the start of each, and one after the last
};

} // namespace rankscope::observer
