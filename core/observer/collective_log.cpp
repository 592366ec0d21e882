// SPDX-License-Identifier: Apache-2.0
#include "core/observer/collective_log.h"

#include "core/base/values/clock.h"

#include <algorithm>

namespace rankscope::observer {

namespace {
constexpr std::string_view kUntagged = "untagged";
} // namespace

Message CollectiveFailure::sentence() const {
    return {"{} {} ({}) failed: {}", telemetry::opName(op), sequence, tag, reason};
}

CollectiveLog::CollectiveLog(std::uint32_t group, std::shared_ptr<RankTelemetry> telemetry)
    : m_group(group), m_telemetry(std::move(telemetry)) {}

CollectiveLog::~CollectiveLog() = default;

CollectiveHandle CollectiveLog::enter(const CollectiveCall& call) {
    const std::int64_t now = monotonicNs();
    const std::string_view tag = call.tag.empty() ? kUntagged : call.tag;
    const std::uint64_t sequence = m_next.fetch_add(1, std::memory_order_relaxed);
    const std::uint64_t parts = OpenCollectives::HandOver | OpenCollectives::End |
                                (call.measuresExposure ? std::uint64_t{OpenCollectives::Exposure} : 0);
    const CollectiveHandle handle = m_telemetry->openCollectives().claim(parts);
    if (handle != 0) {
        OpenCollective& open = m_telemetry->openCollectives()[handle];
        open.log = this;
        open.blocking = call.blocking;
        telemetry::CollectiveRecord& record = open.record;
        record = {};
        record.header.step = m_telemetry->step();
        record.group = m_group;
        record.op = call.op;
        record.dtype = call.dtype;
        record.phase = m_telemetry->phase();
        record.sequence = sequence;
        record.count = call.count;
        record.arrivedNs = now;
        record.exposedNs = -1;
        telemetry::putText(record.tag, sizeof record.tag, tag);
    }
    m_telemetry->board().arrived(m_group, sequence, call.op, call.dtype, call.count, tag, now);
    if (handle == 0) {
        m_telemetry->countLost();
        advance(sequence, now); // its end will not be seen
    }
    return handle;
}

void CollectiveLog::started(CollectiveHandle handle) {
    OpenCollective* open = m_telemetry->openCollectives().waitingFor(OpenCollectives::HandOver, handle);
    if (!open)
        return;
    open->record.startedNs = monotonicNs();
    m_telemetry->board().started(m_group, open->record.sequence + 1);
    release(OpenCollectives::HandOver, handle);
}

void CollectiveLog::done(CollectiveHandle handle, bool failed, std::string_view reason) {
    const std::int64_t now = monotonicNs();
    OpenCollective* open = m_telemetry->openCollectives().waitingFor(OpenCollectives::End, handle);
    if (failed && !reason.empty())
        keepFailure(open ? open->record : telemetry::CollectiveRecord{}, reason);
    if (!open)
        return;
    telemetry::CollectiveRecord& record = open->record;
    record.doneNs = now;
    record.failed = failed ? 1 : 0;
    if (open->blocking)
        record.exposedNs = m_telemetry->claimBlocked(record.arrivedNs, now);
    advance(record.sequence, now);
    release(OpenCollectives::End, handle);
}

void CollectiveLog::exposed(CollectiveHandle handle, std::int64_t ns) {
    if (OpenCollective* open = m_telemetry->openCollectives().waitingFor(OpenCollectives::Exposure, handle)) {
        open->record.exposedNs = ns;
        release(OpenCollectives::Exposure, handle);
    }
}

// Collectives may end out of order; the board shows how many have ended without a gap. The order of the accesses is
// total, so that of two threads that end neighbours at the same time, one sees both.
void CollectiveLog::advance(std::uint64_t sequence, std::int64_t atNs) {
    std::atomic<std::uint64_t>& ended = m_ended[sequence % kWindow];
    std::uint64_t newest = ended.load();
    while (newest <= sequence && !ended.compare_exchange_weak(newest, sequence + 1)) {
    }
    std::uint64_t left = m_left.load();
    const std::uint64_t before = left;
    while (left + kWindow <= sequence)
        if (m_left.compare_exchange_weak(left, sequence + 1 - kWindow))
            left = sequence + 1 - kWindow;
    while (m_ended[left % kWindow].load() == left + 1)
        if (m_left.compare_exchange_weak(left, left + 1))
            ++left;
    if (left != before)
        m_telemetry->board().done(m_group, left, atNs);
}

void CollectiveLog::release(std::uint64_t parts, CollectiveHandle handle) {
    if (const auto record = m_telemetry->openCollectives().release(parts, handle))
        m_telemetry->append(*record);
}

void CollectiveLog::keepFailure(const telemetry::CollectiveRecord& record, std::string_view reason) {
    const std::lock_guard lock(m_mutex);
    if (!m_failure)
        m_failure = CollectiveFailure{std::string(telemetry::getText(record.tag, sizeof record.tag)), record.op,
                                      record.sequence, std::string(reason)};
}

std::optional<CollectiveFailure> CollectiveLog::failure() const {
    const std::lock_guard lock(m_mutex);
    return m_failure;
}

} // namespace rankscope::observer
