// SPDX-License-Identifier: Apache-2.0
#include "core/store/report/lost_time.h"

#include "core/base/values/clock.h"
#include "core/diagnosis/model/collective_times.h"
#include "core/store/waits/wait_joiner.h"

#include <algorithm>
#include <cmath>

namespace rankscope::store {

namespace {

constexpr std::int64_t kLostStepsAtOnce = 64;
constexpr int kSumPoints = 64; ///< of a series that is only summed up

struct Sum {
    double value = 0;
    std::int64_t steps = 0; ///< that have a value
};
Result<Sum> sumOf(RunReader& reader, Metric metric, int rank, StepInterval steps) {
    RS_TRY_ASSIGN(const auto points, reader.series(metric, rank, steps.first, steps.last, kSumPoints));
    Sum sum;
    for (const SeriesPoint& point : points)
        if (point.count > 0 && std::isfinite(point.mean)) {
            sum.value += point.mean * static_cast<double>(point.count);
            sum.steps += point.count;
        }
    return sum;
}

/// Returns the first step at or after `from` that rank 0 has; -1: there is none.
Result<std::int64_t> stepFrom(RunReader& reader, std::int64_t from) {
    RS_TRY_ASSIGN(auto* rows,
                  reader.source().statement("SELECT step FROM step WHERE rank=0 AND step>=?1 ORDER BY step LIMIT 1"));
    std::int64_t found = -1;
    RS_TRY(forEach(rows->bind(1, from), [&](const Statement& row) {
        found = std::max(row.integer(0), from); // a damaged index may return other steps
    }));
    return found;
}

struct StepBounds {
    std::int64_t beginNs = INT64_MAX, endNs = 0;
};

/// Returns when the first rank began a step and when the last one ended it.
Result<StepBounds> boundsOf(RunReader& reader, std::int64_t step) {
    RS_TRY_ASSIGN(auto* rows, reader.source().statement("SELECT begin_ns, end_ns FROM step WHERE rank=?1 AND step=?2"));
    StepBounds bounds;
    for (int rank = 0; rank < reader.meta().worldSize; ++rank)
        RS_TRY(forEach(rows->bind(1, rank).bind(2, step), [&](const Statement& row) {
            bounds = {std::min(bounds.beginNs, row.integer(0)), std::max(bounds.endNs, row.integer(1))};
        }));
    return bounds;
}

/// Returns the step from which single collectives are kept; those of an imported run never were.
Result<std::int64_t> singleFrom(RunReader& reader) {
    RS_TRY_ASSIGN(auto* rows, reader.source().statement("SELECT 1 FROM collective LIMIT 1"));
    bool any = false;
    RS_TRY(forEach(*rows, [&](const Statement&) { any = true; }));
    return any ? reader.singleStepsFrom() : Result<std::int64_t>(INT64_MAX);
}

} // namespace

/// Estimates from sums: all waits block except those in gradient buckets, which overlap with backward. Of these, the
/// part that can have blocked is all blocked time minus the other waits.
Result<void> LostTimeReader::estimate(RunReader& reader, StepInterval steps) {
    const int ranks = reader.meta().worldSize;
    std::int64_t counted = 0;
    for (int rank = 0; rank < ranks; ++rank) {
        RS_TRY_ASSIGN(const Sum waited, sumOf(reader, Metric::WaitTotal, rank, steps));
        RS_TRY_ASSIGN(const Sum gradient, sumOf(reader, Metric::WaitGradient, rank, steps));
        RS_TRY_ASSIGN(const Sum blocked, sumOf(reader, Metric::ExposedWait, rank, steps));
        const double others = std::max(waited.value - gradient.value, 0.0);
        m_lost.lostNs += (others + std::clamp(blocked.value - others, 0.0, std::max(gradient.value, 0.0))) / ranks;
        counted = std::max(counted, waited.steps);
    }
    m_lost.steps += counted;
    m_lost.estimated = true;
    return {};
}

/// Counts from single collectives, like diagnosis::CollectiveTimes::blockedWaitNs().
Result<void> LostTimeReader::count(RunReader& reader, StepInterval steps) {
    RS_TRY_ASSIGN(auto* rows,
                  reader.source().statement(
                      "SELECT total(min(max(CASE WHEN exposed_ns>=0 THEN exposed_ns WHEN name='gradient' OR "
                      "name LIKE 'gradient:%' THEN 0 ELSE done_ns-arrived_ns END, 0), wait_ns)) FROM "
                      "collective LEFT JOIN tag ON tag.id=tag WHERE step>=?1 AND step<=?2 AND wait_ns>0"));
    return forEach(rows->bind(1, steps.first).bind(2, steps.last),
                   [&](const Statement& row) { m_lost.lostNs += row.real(0) / reader.meta().worldSize; });
}

/// Subtracts the parts of these waits in which the whole run was paused.
Result<void> LostTimeReader::leaveOutPauses(RunReader& reader, StepInterval steps,
                                            const diagnosis::ActiveClock& clock) {
    RS_TRY_ASSIGN(auto* rows, reader.source().statement("SELECT arrived_ns, done_ns, exposed_ns, wait_ns, name FROM "
                                                        "collective LEFT JOIN tag ON tag.id=tag WHERE step>=?1 AND "
                                                        "step<=?2 AND wait_ns>0"));
    return forEach(rows->bind(1, steps.first).bind(2, steps.last), [&](const Statement& row) {
        diagnosis::CollectiveTimes times;
        times.arrivedNs = timeOf(row, 0);
        times.doneNs = timeOf(row, 1);
        times.exposedNs = timeOf(row, 2);
        times.waitNs = timeOf(row, 3);
        if (clock.pausedIn(times.arrivedNs, times.latestNs()) == 0)
            return;
        times.family = tagFamily(row.text(4));
        const std::int64_t blockedNs = times.blockedWaitNs();
        times.useActiveTime(clock);
        m_lost.lostNs -= static_cast<double>(blockedNs - times.blockedWaitNs()) / reader.meta().worldSize;
    });
}

Result<bool> LostTimeReader::advance(RunReader& reader, std::int64_t mostNs) {
    const std::int64_t began = monotonicNs();
    RS_TRY_ASSIGN(const auto ranks, reader.ranks());
    if (reader.meta().worldSize < 2 || static_cast<int>(ranks.size()) < reader.meta().worldSize)
        return true;
    std::int64_t last = INT64_MAX;
    for (const RankSummary& rank : ranks)
        last = std::min(last, rank.lastStep);
    if (m_next < 0) {
        RS_TRY_ASSIGN(m_next, stepFrom(reader, 0));
        if (m_next < 0)
            return true;
        RS_TRY_ASSIGN(const auto first, boundsOf(reader, m_next));
        m_beginNs = first.beginNs;
    }
    RS_TRY_ASSIGN(const std::int64_t single, singleFrom(reader));
    if (const StepInterval thinned{m_next, std::min(single - 1, last)}; thinned.count() > 0) {
        RS_TRY(estimate(reader, thinned));
        m_next = thinned.last + 1;
    }
    RS_TRY_ASSIGN(const auto snapshot, reader.source().snapshot());
    RS_TRY_ASSIGN(const diagnosis::ActiveClock clock, reader.activeClock());
    for (bool first = true; m_next <= last && (first || monotonicNs() - began < mostNs); first = false) {
        RS_TRY_ASSIGN(const std::int64_t found, stepFrom(reader, m_next));
        const StepInterval steps{found, std::min(last, found + kLostStepsAtOnce - 1)};
        if (found < 0 || steps.count() == 0) {
            m_next = last + 1;
            break;
        }
        RS_TRY(count(reader, steps));
        if (clock.hasPauses())
            RS_TRY(leaveOutPauses(reader, steps, clock));
        m_lost.steps += steps.count();
        m_next = steps.last + 1;
    }
    RS_TRY_ASSIGN(const auto newest, boundsOf(reader, last));
    m_lost.lastedNs = std::max<std::int64_t>(clock.active(newest.endNs) - clock.active(m_beginNs), 0);
    m_lost.lostNs = std::clamp(m_lost.lostNs, 0.0, static_cast<double>(m_lost.lastedNs)); // other values are damage
    return m_next > last;
}

} // namespace rankscope::store
