// SPDX-License-Identifier: Apache-2.0
#include "core/store/write/retention.h"

#include <algorithm>

namespace rankscope::store {

std::vector<StepRange> without(StepRange range, std::vector<StepRange> kept) {
    std::sort(kept.begin(), kept.end(), [](const StepRange& a, const StepRange& b) { return a.first < b.first; });
    std::vector<StepRange> left;
    std::int64_t at = range.first;
    for (const StepRange& k : kept) {
        if (k.end <= at || k.first >= range.end)
            continue;
        if (k.first > at)
            left.push_back({at, k.first});
        at = std::max(at, k.end);
    }
    if (at < range.end)
        left.push_back({at, range.end});
    return left;
}

StepRange keptAround(std::int64_t step, std::int64_t lastStep, const Retention& retention) {
    const std::int64_t last = std::clamp(lastStep, step, step + std::max<std::int64_t>(retention.newestSteps, 0));
    return {step - retention.aroundIncidentSteps, last + retention.aroundIncidentSteps + 1};
}

Result<void> DetailPruner::prepare(const Database& db) {
    m_db = &db;
    RS_TRY_ASSIGN(m_collectives, db.prepare("DELETE FROM collective WHERE step>=?1 AND step<?2"));
    RS_TRY_ASSIGN(m_phases, db.prepare("DELETE FROM phase WHERE step>=?1 AND step<?2"));
    RS_TRY_ASSIGN(m_pairs, db.prepare("DELETE FROM wait_pair WHERE level=0 AND bucket>=?1 AND bucket<?2"));
    return {};
}

Result<DetailPruner::Removed> DetailPruner::remove(const std::vector<StepRange>& ranges) {
    Removed removed;
    for (const StepRange& range : ranges) {
        RS_TRY(m_collectives.runWith(range.first, range.end));
        removed.collectives += m_db->changes();
        RS_TRY(m_phases.runWith(range.first, range.end));
        removed.phases += m_db->changes();
        RS_TRY(m_pairs.runWith(range.first, range.end));
    }
    return removed;
}

} // namespace rankscope::store
