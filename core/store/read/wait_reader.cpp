// SPDX-License-Identifier: Apache-2.0
#include "core/store/read/wait_reader.h"

#include "core/store/read/step_columns.h"
#include "core/store/tables/incident_rows.h"
#include "core/store/tables/pyramid.h"
#include "core/store/waits/group_members.h"
#include "core/store/waits/phase_window.h"
#include "core/store/waits/wait_joiner.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace rankscope::store {

using diagnosis::CollectiveTimes;

namespace {

/// A step with more rows is not replayed, because all its rows would have to be in memory.
constexpr std::size_t kMostRowsOfAStep = 1'000'000;
/// 416 days; a longer time is damage, and sums of shorter ones cannot overflow.
constexpr std::int64_t kLongestNs = std::int64_t{1} << 55;

bool plausible(const CollectiveTimes& t, int worldSize) {
    const auto small = [](std::int64_t ns) { return ns > -kLongestNs && ns < kLongestNs; };
    return t.rank >= 0 && t.rank < worldSize && t.holder >= 0 && t.holder < worldSize && small(t.arrivedNs) &&
           small(t.doneNs) && small(t.exposedNs) && t.waitNs >= 0 && small(t.waitNs);
}

/// Reads columns step, group, sequence, rank, holder, tag, arrived, done, exposed, wait.
CollectiveTimes timesOf(const Statement& row) {
    CollectiveTimes t;
    t.step = row.integer(0);
    t.group = static_cast<std::uint32_t>(row.integer(1));
    t.sequence = static_cast<std::uint64_t>(row.integer(2));
    t.rank = static_cast<int>(std::clamp<std::int64_t>(row.integer(3), -1, INT32_MAX));
    t.holder = static_cast<int>(std::clamp<std::int64_t>(row.integer(4), -1, INT32_MAX));
    t.family = std::string(tagFamily(row.text(5)));
    t.arrivedNs = row.integer(6);
    t.doneNs = row.integer(7);
    t.exposedNs = row.integer(8);
    t.waitNs = row.integer(9);
    return t;
}

class Scan {
public:
    Scan(Statement& phases, const diagnosis::ActiveClock& clock, const telemetry::ProcessGroups& groups,
         WaitReport& report, const std::function<bool()>& cancelled)
        : m_clock(clock), m_phases(phases, report.worldSize, clock), m_replay(report.worldSize, groups),
          m_report(report), m_cancelled(cancelled) {}

    Result<void> take(CollectiveTimes times) {
        if (times.step != m_step) {
            RS_TRY(checkCancelled(m_cancelled));
            endStep();
            m_step = times.step;
            RS_TRY(m_phases.moveTo(m_step));
            ++m_report.singleSteps;
        }
        if (!plausible(times, m_report.worldSize)) {
            m_whole = false;
            return {};
        }
        if (m_clock.hasPauses())
            times.useActiveTime(m_clock);
        if (m_rows.size() == kMostRowsOfAStep) {
            charge();
            m_whole = false;
        }
        m_rows.push_back(std::move(times));
        return {};
    }
    void end() {
        endStep();
        m_report.replay = m_replay.result();
    }

private:
    void endStep() {
        if (m_step < 0)
            return;
        if (m_whole)
            m_replay.step(m_step, m_rows, m_phases.beginsOf(m_step));
        else
            m_replay.skip();
        charge();
        m_whole = true;
    }
    /// Moves the waits of the step into the matrix.
    void charge() {
        std::vector<std::vector<std::size_t>> rowsOf(static_cast<std::size_t>(m_report.worldSize));
        for (std::size_t row = 0; row < m_rows.size(); ++row)
            rowsOf[static_cast<std::size_t>(m_rows[row].rank)].push_back(row);
        for (const auto& rows : rowsOf) {
            std::vector<diagnosis::RankWait> waits;
            for (const std::size_t row : rows) {
                const CollectiveTimes& t = m_rows[row];
                waits.push_back({{t.arrivedNs, t.latestNs()}, t.blockedWaitNs(), t.group, t.sequence});
            }
            std::vector<std::vector<diagnosis::TimeSpan>> counted(rows.size());
            for (const diagnosis::CountedPart& part : diagnosis::countOnce(waits))
                counted[part.wait].push_back(part.span);
            for (std::size_t i = 0; i < rows.size(); ++i)
                m_report.matrix.add(m_rows[rows[i]], counted[i], m_phases.of(m_rows[rows[i]].holder));
        }
        m_rows.clear();
    }

    const diagnosis::ActiveClock& m_clock;
    PhaseWindow m_phases;
    diagnosis::WhatIfReplay m_replay;
    WaitReport& m_report;
    const std::function<bool()>& m_cancelled;
    std::vector<CollectiveTimes> m_rows;
    std::int64_t m_step = -1;
    bool m_whole = true;
};

} // namespace

Result<telemetry::ProcessGroups> WaitReader::groupMembers() {
    auto groups = readGroups(m_store->db());
    if (!groups) {
        RS_TRY(m_store->recordDamage("process_group", groups.error()));
        return telemetry::ProcessGroups{};
    }
    return groups;
}

Result<diagnosis::ActiveClock> WaitReader::activeClock() {
    auto clock = readPauses(m_store->db());
    if (!clock) {
        RS_TRY(m_store->recordDamage("incident", clock.error()));
        return diagnosis::ActiveClock{};
    }
    return clock;
}

Result<void> WaitReader::explainSingle(WaitReport& report, const diagnosis::ActiveClock& clock,
                                       const std::function<bool()>& cancelled) {
    RS_TRY_ASSIGN(auto* collectives,
                  m_store->statement("SELECT step, group_id, sequence, rank, holder, tag.name, arrived_ns, done_ns, "
                                     "exposed_ns, wait_ns FROM collective LEFT JOIN tag ON tag.id=tag WHERE step>=?1 "
                                     "AND step<=?2 AND wait_ns IS NOT NULL ORDER BY step, group_id, sequence, rank"));
    RS_TRY_ASSIGN(auto* phases,
                  m_store->statement("SELECT step, rank, begin_ns, end_ns, phase FROM phase WHERE step>=?1 AND "
                                     "step<=?2 ORDER BY step, rank, begin_ns"));
    collectives->bind(1, report.steps.first).bind(2, report.steps.last);
    phases->bind(1, report.steps.first - 1).bind(2, report.steps.last + 1);
    RS_TRY_ASSIGN(const auto groups, groupMembers());
    Scan scan(*phases, clock, groups, report, cancelled);
    const auto taken = forEach(*collectives, [&](const Statement& row) { return scan.take(timesOf(row)); });
    phases->reset(); // they may not have been read to the end
    RS_TRY(taken);
    scan.end();
    return {};
}

Result<std::vector<WaitCell>> WaitReader::waits(std::int64_t firstStep, std::int64_t lastStep) {
    RS_TRY_ASSIGN(const auto snapshot, m_store->snapshot());
    RS_TRY_ASSIGN(const auto thinned, firstDetailedStep(*m_store));
    auto rows =
        m_store->statement("SELECT waiter, holder, tag, sum(wait_ns), sum(collectives) FROM wait_pair WHERE level=?1 "
                           "AND bucket>=?2 AND bucket<?3 GROUP BY waiter, holder, tag");
    if (!rows) {
        RS_TRY(m_store->recordDamage("wait_pair", rows.error()));
        return std::vector<WaitCell>{};
    }
    std::int64_t first = std::max<std::int64_t>(firstStep, 0), end = std::min(lastStep, kMaxStep) + 1;
    // where single steps were removed, the edges widen to whole buckets of 16 steps
    if (first < thinned)
        first = first / kFanOut * kFanOut;
    if (end / kFanOut * kFanOut < thinned)
        end = (end + kFanOut - 1) / kFanOut * kFanOut;
    std::map<std::tuple<int, int, std::string>, WaitCell> cells;
    for (const BucketRun& cover : coverSteps(first, end, kPairLevels - 1, kMaxStep)) {
        (*rows)->bind(1, cover.level).bind(2, cover.first).bind(3, cover.end);
        auto read = forEach(**rows, [&](const Statement& row) {
            if (!m_store->isRank(row.integer(0)) || !m_store->isRank(row.integer(1)))
                return m_store->recordImpossible("wait_pair");
            const int waiter = static_cast<int>(row.integer(0)), holder = static_cast<int>(row.integer(1));
            WaitCell& cell =
                cells.try_emplace({waiter, holder, row.text(2)}, WaitCell{waiter, holder, row.text(2)}).first->second;
            cell.waitNs = std::min(cell.waitNs + std::max<std::int64_t>(0, timeOf(row, 3)), kMostNs);
            cell.collectives += std::clamp<std::int64_t>(row.integer(4), 0, kMaxStep);
        });
        if (!read)
            RS_TRY(m_store->recordDamage("wait_pair", read.error()));
    }
    std::vector<WaitCell> result;
    for (auto& [key, cell] : cells)
        result.push_back(std::move(cell));
    return result;
}

Result<std::int64_t> WaitReader::singleStepsFrom() {
    return firstDetailedStep(*m_store);
}

Result<diagnosis::WorkDone> WaitReader::workDone(StepInterval steps) {
    RS_TRY_ASSIGN(const auto snapshot, m_store->snapshot());
    RS_TRY_ASSIGN(
        auto* rows,
        m_store->statement("SELECT total(samples_per_second*step_ns), min(begin_ns), max(end_ns) FROM step WHERE "
                           "rank=?1 AND step>=?2 AND step<=?3 AND complete"));
    diagnosis::WorkDone work;
    std::int64_t beginNs = INT64_MAX, endNs = INT64_MIN;
    for (int rank = 0; rank < m_store->meta().worldSize; ++rank)
        RS_TRY(forEach(rows->bind(1, rank).bind(2, steps.first).bind(3, steps.last), [&](const Statement& row) {
            if (row.isNull(1))
                return;
            work.samples += row.real(0) * 1e-9;
            beginNs = std::min(beginNs, row.integer(1));
            endNs = std::max(endNs, row.integer(2));
        }));
    if (beginNs < endNs)
        work.lastedNs = static_cast<double>(endNs) - static_cast<double>(beginNs);
    return work;
}

Result<WaitReport> WaitReader::explainWaits(StepInterval steps, const std::function<bool()>& cancelled) {
    RS_TRY_ASSIGN(const auto snapshot, m_store->snapshot());
    WaitReport report;
    report.worldSize = m_store->meta().worldSize;
    report.estimatesAreSums = m_store->meta().waitsAreSums;
    RS_TRY_ASSIGN(auto* span,
                  m_store->statement("SELECT min(first_step), max(last_step) FROM rank WHERE first_step>=0"));
    RS_TRY(forEach(*span, [&](const Statement& row) {
        if (!row.isNull(0))
            report.run = {std::max<std::int64_t>(row.integer(0), 0), std::min(row.integer(1), kMaxStep)};
    }));
    report.steps = {std::max(steps.first, report.run.first), std::min(steps.last, report.run.last)};
    if (report.steps.count() == 0)
        return report;
    RS_TRY_ASSIGN(const auto clock, activeClock());
    RS_TRY(explainSingle(report, clock, cancelled));
    RS_TRY(readStepColumns(*m_store, report, cancelled));
    report.pausedNs = clock.pausedIn(report.beginNs, report.endNs);
    return report;
}

} // namespace rankscope::store
