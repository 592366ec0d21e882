// SPDX-License-Identifier: Apache-2.0
#include "core/store/write/writer_state.h"

#include "core/store/tables/meta_table.h"
#include "core/store/tables/row_reading.h"
#include "core/store/waits/group_members.h"

#include <algorithm>
#include <limits>

namespace rankscope::store {

std::int64_t WriterState::newestStep() const {
    std::int64_t newest = -1;
    for (const RankProgress& rank : ranks)
        newest = std::max(newest, rank.lastStep);
    return newest;
}

std::int64_t WriterState::slowestStep() const {
    std::int64_t slowest = std::numeric_limits<std::int64_t>::max();
    for (const RankProgress& rank : ranks)
        if (!rank.ended)
            slowest = std::min(slowest, rank.lastStep);
    return slowest;
}

Result<void> WriterState::loadRanks(const Database& db, const RunMeta& meta) {
    ranks.assign(static_cast<std::size_t>(meta.worldSize), {});
    RS_TRY_ASSIGN(auto select,
                  db.prepare("SELECT rank.rank, first_step, last_step, last_ns, last_loss, ended, waited_ns, held_ns, "
                             "final_step, coalesce(segment,0), coalesce(slot,0), anchor_monotonic_ns FROM "
                             "rank LEFT JOIN journal_position "
                             "ON journal_position.rank=rank.rank"));
    return forEach(select, [&](const Statement& row) {
        const std::int64_t r = row.integer(0);
        if (r < 0 || r >= meta.worldSize)
            return;
        RankProgress& s = ranks[static_cast<std::size_t>(r)];
        s.firstStep = row.integer(1);
        s.lastStep = row.integer(2);
        s.lastNs = row.integer(3);
        s.lastLoss = row.isNull(4) ? std::numeric_limits<double>::quiet_NaN() : row.real(4);
        s.ended = row.integer(5) != 0;
        s.waitedNs = row.integer(6);
        s.heldNs = row.integer(7);
        s.finalStep = row.integer(8);
        if (!row.isNull(11))
            s.anchorNs = row.integer(11);
        s.position = {static_cast<std::uint64_t>(row.integer(9)), static_cast<std::uint64_t>(row.integer(10))};
    });
}

Result<void> WriterState::loadPending(const Database& db, const RunMeta& meta) {
    joiner = WaitJoiner(meta.worldSize);
    tags = {};
    RS_TRY_ASSIGN(groups, readGroups(db));
    RS_TRY_ASSIGN(auto tagRows, db.prepare("SELECT id, name FROM tag"));
    RS_TRY(forEach(tagRows, [&](const Statement& row) { tags.know(static_cast<int>(row.integer(0)), row.text(1)); }));
    tags.firstNew = tags.next();
    // not those from before a rank restarted: its sequence numbers count from 0 again
    RS_TRY_ASSIGN(
        auto open,
        db.prepare(
            "SELECT group_id, sequence, c.rank, arrived_ns, step, tag, op, exposed_ns, done_ns FROM collective c "
            "INDEXED BY collective_unjoined JOIN rank ON rank.rank=c.rank WHERE wait_ns IS NULL AND "
            "arrived_ns+?1>=coalesce(anchor_monotonic_ns,0) ORDER BY group_id, sequence"));
    open.bind(1, meta.startNs);
    RS_TRY(forEach(open, [&](const Statement& row) {
        const auto op = static_cast<telemetry::CollectiveOp>(row.integer(6));
        const std::int64_t rank = row.integer(2);
        const auto group = static_cast<std::uint32_t>(row.integer(0));
        const int size = groups.sizeOf(group, meta.worldSize);
        if (!canJoin(op, size) || rank < 0 || rank >= meta.worldSize || !groups.contains(group, static_cast<int>(rank)))
            return;
        const int tag = static_cast<int>(row.integer(5));
        const Arrival arrival{true,
                              row.integer(3) + meta.startNs,
                              row.integer(4),
                              tag,
                              Arrival::kStored,
                              waitLimit(op, group, tags.text(tag), row.integer(7), row.integer(8) - row.integer(3)),
                              blockedNs(tags.text(tag), row.integer(7), row.integer(8) - row.integer(3))};
        joiner.add({group, static_cast<std::uint64_t>(row.integer(1))}, static_cast<int>(rank), arrival, size);
    }));
    joiner.takeDroppedCount();
    return {};
}

Result<void> WriterState::loadIncidents(const Database& db) {
    incidents.clear();
    RS_TRY_ASSIGN(auto select, db.prepare("SELECT id, step, last_step, closed_ns IS NULL FROM incident"));
    return forEach(select, [&](const Statement& row) {
        incidents[row.integer(0)] = {row.integer(1), row.integer(2), row.integer(3) != 0};
    });
}

Result<void> WriterState::load(const Database& db, const RunMeta& meta) {
    RS_TRY(loadRanks(db, meta));
    RS_TRY(loadPending(db, meta));
    RS_TRY(counter.prepare(db, meta.worldSize));
    RS_TRY(loadIncidents(db));
    RS_TRY_ASSIGN(firstDetailedStep, getMeta(db, "thinned_to", 0));
    return {};
}

} // namespace rankscope::store
