// SPDX-License-Identifier: Apache-2.0
#include "core/observer/rank_telemetry.h"

#include "core/base/values/clock.h"

#include <algorithm>
#include <utility>

namespace rankscope::observer {

RankTelemetry::RankTelemetry(telemetry::BoardWriter board, telemetry::JournalWriter journal)
    : m_board(std::move(board)), m_journal(std::move(journal)) {}

RankTelemetry::RankTelemetry(RankTelemetry&& other) noexcept
    : m_board(std::move(other.m_board)), m_journal(std::move(other.m_journal)), m_phase(other.phase()),
      m_step(other.step()), m_lost(other.m_lost.load()), m_blockedUntilNs(other.m_blockedUntilNs.load()),
      m_open(std::move(other.m_open)), m_phaseSinceNs(other.m_phaseSinceNs), m_phaseStep(other.m_phaseStep),
      m_timer(std::move(other.m_timer)), m_timed(std::move(other.m_timed)) {}

RankTelemetry RankTelemetry::detached() {
    return {telemetry::BoardWriter::detached(), telemetry::JournalWriter::detached()};
}

void RankTelemetry::beginStep(std::int64_t step, int epoch) {
    m_step.store(step, std::memory_order_relaxed);
    m_board.step(step, epoch);
}

std::int64_t RankTelemetry::phase(telemetry::Phase next) {
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
        if (m_timer)
            m_timed.push_back(record);
        else
            append(record);
    }
    m_phaseSinceNs = now;
    m_phaseStep = step();
    if (m_timer) {
        if (next != telemetry::Phase::None || !m_timed.empty())
            m_timer->mark();
        if (next == telemetry::Phase::None)
            appendTimed();
    }
    return now;
}

void RankTelemetry::countLost() {
    m_lost.fetch_add(1, std::memory_order_relaxed);
    m_board.dropped(dropped());
}

std::uint64_t RankTelemetry::dropped() const {
    return m_journal.dropped() + m_lost.load(std::memory_order_relaxed);
}

std::int64_t RankTelemetry::claimBlocked(std::int64_t beginNs, std::int64_t endNs) {
    std::int64_t until = m_blockedUntilNs.load(std::memory_order_relaxed);
    while (until < endNs && !m_blockedUntilNs.compare_exchange_weak(until, endNs, std::memory_order_relaxed)) {
    }
    return std::max<std::int64_t>(0, endNs - std::max(beginNs, until));
}

void RankTelemetry::timeByStream(std::unique_ptr<StreamTimer> timer) {
    phase(telemetry::Phase::None); // the stream's first mark must be the start of a phase
    m_timer = std::move(timer);
}

void RankTelemetry::timeByThread() {
    m_timer.reset();
    for (const telemetry::PhaseRecord& record : m_timed) // their times so far are this thread's
        append(record);
    m_timed.clear();
}

void RankTelemetry::appendTimed() {
    const std::vector<std::int64_t> times = m_timer->times();
    for (std::size_t i = 0; i < m_timed.size() && i + 1 < times.size(); ++i) {
        m_timed[i].beginNs = times[i];
        m_timed[i].endNs = times[i + 1];
        append(m_timed[i]);
    }
    m_timed.clear();
}

} // namespace rankscope::observer
