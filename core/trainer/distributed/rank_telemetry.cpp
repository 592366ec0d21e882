// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/distributed/rank_telemetry.h"

#include "core/base/clock.h"

#include <utility>

namespace rankscope::trainer {

RankTelemetry::RankTelemetry(telemetry::BoardWriter board, telemetry::JournalWriter journal)
    : m_board(std::move(board)), m_journal(std::move(journal)) {}

RankTelemetry::RankTelemetry(RankTelemetry&& other) noexcept
    : m_board(std::move(other.m_board)), m_journal(std::move(other.m_journal)), m_phase(other.phase()),
      m_step(other.step()), m_phaseSinceNs(other.m_phaseSinceNs), m_phaseStep(other.m_phaseStep) {}

RankTelemetry RankTelemetry::detached() {
    return {telemetry::BoardWriter::detached(), telemetry::JournalWriter::detached()};
}

void RankTelemetry::beginStep(std::int64_t step, int epoch) {
    m_step.store(step, std::memory_order_relaxed);
    m_board.step(step, epoch);
}

void RankTelemetry::phase(telemetry::Phase next) {
    const std::int64_t now = monotonicNs();
    const telemetry::Phase ended = phase();
    m_phase.store(next, std::memory_order_relaxed);
    m_board.phase(next, now);
    if (ended != telemetry::Phase::None) {
        telemetry::PhaseRecord record;
        record.header.step = m_phaseStep;
        record.phase = ended;
        record.beginNs = m_phaseSinceNs;
        record.endNs = now;
        m_journal.append(record);
    }
    m_phaseSinceNs = now;
    m_phaseStep = step();
}

} // namespace rankscope::trainer
