// SPDX-License-Identifier: Apache-2.0
#include "core/store/waits/wait_counter.h"

#include "core/base/values/result.h"
#include "core/store/tables/incident_rows.h"
#include "core/store/tables/row_reading.h"
#include "core/store/waits/wait_joiner.h"

#include <algorithm>

namespace rankscope::store {

/// Per rank. Ranks are rarely more than a step or two apart.
static constexpr std::size_t kKeptSteps = 16;
/// A long validation within a step has a wait for each of its batches; these must not fill the memory.
static constexpr std::size_t kMostWaits = 8192;

/// Calls `take` with each charge and the ns of its wait that count.
template <class Take> static void eachCounted(StepWaits& of, const Take& take) {
    std::vector<std::int64_t> counted(of.waits.size());
    for (const diagnosis::CountedPart& part : diagnosis::countOnce(of.waits))
        counted[part.wait] += part.span.lengthNs();
    for (std::size_t i = 0; i < counted.size(); ++i)
        take(of.charges[i], counted[i]);
}

Result<void> WaitCounter::prepare(const Database& db, int worldSize) {
    RS_TRY_ASSIGN(m_joined,
                  db.prepare("SELECT group_id, sequence, arrived_ns, wait_ns, holder, tag, tag.name, exposed_ns, "
                             "done_ns FROM collective "
                             "LEFT JOIN tag ON tag.id=tag WHERE step=?1 AND rank=?2 AND wait_ns>0 AND holder>=0 AND "
                             "holder<?3"));
    RS_TRY_ASSIGN(auto newest, db.scalar("SELECT coalesce(max(step),-2) FROM collective"));
    RS_TRY_ASSIGN(m_clock, readPauses(db));
    RankSteps none;
    none.inStore = newest;
    m_ranks.assign(static_cast<std::size_t>(worldSize), none);
    return {};
}

diagnosis::RankWait WaitCounter::active(const diagnosis::RankWait& wait) const {
    diagnosis::RankWait counted = wait;
    const std::int64_t beginNs = wait.span.beginNs;
    counted.span = {m_clock.active(beginNs), m_clock.active(wait.span.endNs)};
    counted.blockedNs -= m_clock.pausedIn(beginNs, beginNs + std::max<std::int64_t>(0, wait.blockedNs));
    return counted;
}

Result<void> WaitCounter::read(int rank, std::int64_t step, Counted& into) {
    m_joined.bind(1, step).bind(2, rank).bind(3, m_ranks.size());
    RS_TRY(forEach(m_joined, [&](const Statement& row) {
        const std::string tag = row.text(6);
        const std::int64_t beginNs = timeOf(row, 2);
        into.add(active({{beginNs, beginNs + timeOf(row, 3)},
                         blockedNs(tag, timeOf(row, 7), timeOf(row, 8) - beginNs),
                         static_cast<std::uint32_t>(row.integer(0)),
                         static_cast<std::uint64_t>(row.integer(1))}),
                 {static_cast<int>(row.integer(4)), static_cast<int>(row.integer(5)), waitMetric(tag)});
    }));
    eachCounted(into, [](WaitCharge& charge, std::int64_t ns) { charge.countedNs = ns; });
    return {};
}

Result<WaitCounter::Counted*> WaitCounter::find(RankSteps& steps, int rank, std::int64_t step) {
    const auto [at, made] = steps.newest.try_emplace(step);
    if (made && step <= steps.inStore)
        RS_TRY(read(rank, step, at->second));
    return &at->second;
}

Result<void> WaitCounter::add(int rank, std::int64_t step, StepWaits more,
                              const std::function<void(const WaitCharge&, std::int64_t)>& change) {
    RankSteps& steps = m_ranks[static_cast<std::size_t>(rank)];
    if (m_clock.hasPauses())
        std::ranges::transform(more.waits, more.waits.begin(), [this](const auto& wait) { return active(wait); });
    RS_TRY_ASSIGN(Counted* const of, find(steps, rank, step));
    if (of->waits.empty() && of->settledNs == kNeverNs)
        std::swap(static_cast<StepWaits&>(*of), more);
    for (std::size_t i = 0; i < more.waits.size(); ++i) {
        of->add(more.waits[i], more.charges[i]);
        diagnosis::RankWait& wait = of->waits.back();
        const std::int64_t settled = std::max<std::int64_t>(0, of->settledNs - wait.span.beginNs);
        wait.span.beginNs += settled;
        wait.blockedNs -= settled;
    }
    eachCounted(*of, [&](WaitCharge& charge, std::int64_t ns) {
        if (ns != charge.countedNs)
            change(charge, ns - std::max<std::int64_t>(charge.countedNs, 0));
        charge.countedNs = ns;
    });
    if (of->waits.size() > kMostWaits) {
        for (const diagnosis::RankWait& wait : of->waits)
            of->settledNs = std::max(of->settledNs, wait.span.endNs);
        of->waits.clear();
        of->charges.clear();
    }
    while (steps.newest.size() > kKeptSteps) {
        steps.inStore = std::max(steps.inStore, steps.newest.begin()->first);
        steps.newest.erase(steps.newest.begin());
    }
    return {};
}

} // namespace rankscope::store
