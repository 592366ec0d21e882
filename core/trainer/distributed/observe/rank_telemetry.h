// SPDX-License-Identifier: Apache-2.0
// What one rank tells while it runs: its board and journal, and the step and phase that its training thread is in.
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
    /// Neither board nor journal: everything is measured and thrown away.
    static RankTelemetry detached();
    RankTelemetry(RankTelemetry&& other) noexcept;

    telemetry::BoardWriter& board() { return m_board; }
    telemetry::JournalWriter& journal() { return m_journal; }

    // By the training thread.
    void beginStep(std::int64_t step, int epoch);
    /// Ends the phase that runs, appends its record, begins `next`. Phase::None only ends.
    void phase(telemetry::Phase next);
    /// From now on phases are those of the device's stream: they begin and end where the device comes to them. Their
    /// records are appended, and the device waited for, at the next Phase::None. The board goes on telling what this
    /// thread does.
    void timeByStream(std::unique_ptr<StreamTimer> timer);
    /// Back to this thread's clock, for the phases under way too: the device failed, or hangs, and is not waited for.
    void timeByThread();

    // By any thread.
    telemetry::Phase phase() const { return m_phase.load(std::memory_order_relaxed); }
    std::int64_t step() const { return m_step.load(std::memory_order_relaxed); }

private:
    void appendTimed();

    telemetry::BoardWriter m_board;
    telemetry::JournalWriter m_journal;
    std::atomic<telemetry::Phase> m_phase{telemetry::Phase::None};
    std::atomic<std::int64_t> m_step{-1};
    std::int64_t m_phaseSinceNs = 0, m_phaseStep = -1; ///< of the phase that runs: it may end after the next step began
    std::unique_ptr<StreamTimer> m_timer;              ///< null: this thread's own clock
    std::vector<telemetry::PhaseRecord> m_timed;       ///< a mark stands at the begin of each, and one after the last
};

} // namespace rankscope::trainer
