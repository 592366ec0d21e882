// SPDX-License-Identifier: Apache-2.0
// What one rank reports while it runs: its board and journal, and the step and phase that its training thread is in.
#pragma once

#include "core/telemetry/board/board.h"
#include "core/telemetry/journal/journal_writer.h"
#include "core/trainer/distributed/observe/stream_timer.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

namespace rankscope::trainer {

class RankTelemetry {
public:
    RankTelemetry(telemetry::BoardWriter board, telemetry::JournalWriter journal);
    /// Creates one without board and journal: everything is measured and thrown away.
    static RankTelemetry detached();
    RankTelemetry(RankTelemetry&& other) noexcept;

    telemetry::BoardWriter& board() { return m_board; }
    telemetry::JournalWriter& journal() { return m_journal; }

    // Called by the training thread.
    void beginStep(std::int64_t step, int epoch);
    /// Ends the current phase, appends its record and begins `next`. Phase::None only ends it.
    void phase(telemetry::Phase next);
    /// From now on times phases on the device's stream: they begin and end when the device reaches them. The next
    /// Phase::None waits for the device and appends their records. The board continues to show what this thread does.
    void timeByStream(std::unique_ptr<StreamTimer> timer);
    /// Returns to this thread's clock, also for the current phases: the device has failed or hangs, and is not waited
    /// for.
    void timeByThread();

    // Called by any thread.
    telemetry::Phase phase() const { return m_phase.load(std::memory_order_relaxed); }
    std::int64_t step() const { return m_step.load(std::memory_order_relaxed); }

private:
    void appendTimed();

    telemetry::BoardWriter m_board;
    telemetry::JournalWriter m_journal;
    std::atomic<telemetry::Phase> m_phase{telemetry::Phase::None};
    std::atomic<std::int64_t> m_step{-1};
    std::int64_t m_phaseSinceNs = 0, m_phaseStep = -1; ///< of the current phase, which may end after the next step
                                                       ///< began
    std::unique_ptr<StreamTimer> m_timer;              ///< null: this thread's clock
    std::vector<telemetry::PhaseRecord> m_timed;       ///< there is a mark at the start of each, and one after the last
};

} // namespace rankscope::trainer
