// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/distributed/observe/collective_log.h"

#include "core/base/values/clock.h"

#include <fmt/format.h>

#include <thread>

namespace rankscope::trainer {
namespace {

thread_local CollectiveTag* t_innermost = nullptr;

constexpr std::string_view kUntagged = "untagged";

} // namespace

PendingExposure& PendingExposure::operator=(PendingExposure&& other) noexcept {
    if (this != &other) {
        close(-1);
        m_flight = std::exchange(other.m_flight, nullptr);
    }
    return *this;
}

void PendingExposure::close(std::int64_t exposedNs) {
    if (CollectiveFlight* flight = std::exchange(m_flight, nullptr)) {
        flight->record.exposedNs = exposedNs;
        flight->log->release(*flight);
    }
}

CollectiveTag::CollectiveTag(std::string_view name, Exposure exposure)
    : m_outer(t_innermost), m_keepExposure(exposure == Exposure::Kept) {
    telemetry::putText(m_text.data(), m_text.size(), name);
    t_innermost = this;
}

CollectiveTag::CollectiveTag(std::string_view kind, std::string_view detail, Exposure exposure)
    : m_outer(t_innermost), m_keepExposure(exposure == Exposure::Kept) {
    put(kind, detail);
    t_innermost = this;
}

CollectiveTag::CollectiveTag(std::string_view kind, std::size_t number, Exposure exposure)
    : m_outer(t_innermost), m_keepExposure(exposure == Exposure::Kept) {
    const fmt::format_int digits(number);
    put(kind, {digits.data(), digits.size()});
    t_innermost = this;
}

CollectiveTag::~CollectiveTag() {
    t_innermost = m_outer;
}

void CollectiveTag::put(std::string_view kind, std::string_view detail) {
    std::array<char, telemetry::kTagBytes> text{};
    const auto end = fmt::format_to_n(text.data(), text.size() - 1, "{}:{}", kind, detail).out;
    telemetry::putText(m_text.data(), m_text.size(), {text.data(), static_cast<std::size_t>(end - text.data())});
}

CollectiveTag* CollectiveTag::innermost() {
    return t_innermost;
}

Message CollectiveFailure::sentence() const {
    return {"{} {} ({}) failed: {}", telemetry::opName(op), sequence, tag, reason};
}

CollectiveLog::CollectiveLog(std::uint32_t group, std::shared_ptr<RankTelemetry> telemetry)
    : m_group(group), m_telemetry(std::move(telemetry)),
      m_flights(std::make_unique<std::array<CollectiveFlight, kInFlight>>()) {
    for (CollectiveFlight& flight : *m_flights)
        flight.log = this;
}

CollectiveLog::~CollectiveLog() = default;

CollectiveFlight& CollectiveLog::claim(std::uint64_t sequence) {
    CollectiveFlight& flight = (*m_flights)[sequence % kInFlight];
    while (flight.references.load(std::memory_order_acquire) != 0)
        std::this_thread::yield(); // the collective kInFlight before this one is still open
    return flight;
}

CollectiveFlight& CollectiveLog::enter(telemetry::CollectiveOp op, std::uint8_t dtype, std::int64_t count) {
    const std::int64_t now = monotonicNs();
    CollectiveTag* tag = CollectiveTag::innermost();
    const bool kept = tag && tag->m_keepExposure && !tag->m_exposure;
    const std::uint64_t sequence = m_next.fetch_add(1, std::memory_order_relaxed);

    CollectiveFlight& flight = claim(sequence);
    telemetry::CollectiveRecord& record = flight.record;
    record = {};
    record.header.step = m_telemetry->step();
    record.group = m_group;
    record.op = op;
    record.dtype = dtype;
    record.phase = m_telemetry->phase();
    record.sequence = sequence;
    record.count = count;
    record.arrivedNs = now;
    record.exposedNs = -1;
    telemetry::putText(record.tag, sizeof record.tag, tag ? tag->text() : kUntagged);
    flight.references.store(kept ? 3 : 2, std::memory_order_release);
    if (kept) {
        tag->m_keepExposure = false;
        tag->m_exposure = PendingExposure(&flight);
    }
    m_telemetry->board().arrived(m_group, sequence, op, dtype, count, record.tag, now);
    return flight;
}

void CollectiveLog::started(CollectiveFlight& flight) {
    flight.record.startedNs = monotonicNs();
    m_telemetry->board().started(m_group, flight.record.sequence + 1);
    release(flight);
}

void CollectiveLog::done(CollectiveFlight& flight, bool failed, std::string_view reason) {
    const std::int64_t now = monotonicNs();
    flight.record.doneNs = now;
    flight.record.failed = failed ? 1 : 0;
    {
        const std::lock_guard lock(m_mutex);
        if (failed && !m_failure) {
            const auto& record = flight.record;
            m_failure = CollectiveFailure{std::string(telemetry::getText(record.tag, sizeof record.tag)), record.op,
                                          record.sequence, std::string(reason)};
        }
        advance(flight.record.sequence, now);
    }
    release(flight);
}

// Collectives may end out of order; the board shows how many have ended without a gap.
void CollectiveLog::advance(std::uint64_t sequence, std::int64_t atNs) {
    m_done[sequence % kInFlight] = true;
    if (sequence != m_left)
        return;
    while (m_done[m_left % kInFlight]) {
        m_done[m_left % kInFlight] = false;
        ++m_left;
    }
    m_telemetry->board().done(m_group, m_left, atNs);
}

void CollectiveLog::release(CollectiveFlight& flight) {
    int expected = flight.references.load(std::memory_order_acquire);
    while (expected > 1 &&
           !flight.references.compare_exchange_weak(expected, expected - 1, std::memory_order_acq_rel)) {
    }
    if (expected == 1) { // the last holder appends; the slot is free once the record has been copied out
        m_telemetry->journal().append(flight.record);
        flight.references.store(0, std::memory_order_release);
    }
}

std::optional<CollectiveFailure> CollectiveLog::failure() const {
    const std::lock_guard lock(m_mutex);
    return m_failure;
}

} // namespace rankscope::trainer
