// SPDX-License-Identifier: Apache-2.0
#include "core/store/write/batch_rows.h"

#include "core/base/values/result.h"
#include "core/store/tables/pyramid.h"
#include "core/store/tables/row_reading.h"
#include "core/store/tables/schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <tuple>

namespace rankscope::store {

using namespace telemetry;

static constexpr int kInsertKeys = 8;

static std::string stepUpsert() {
    std::string columns = "rank, step, epoch, flags, complete, not_finite, begin_ns, end_ns", places, updates;
    for (int i = 1; i <= kInsertKeys; ++i)
        places += fmt::format("{}?{}", i == 1 ? "" : ",", i);
    for (const MetricInfo& metric : metrics()) {
        const std::string_view c = metric.column;
        columns += fmt::format(", {}", c);
        places += fmt::format(",?{}", static_cast<int>(metric.metric) + kInsertKeys + 1);
        if (isAdditive(metric.metric))
            updates +=
                fmt::format(", {0}=CASE WHEN excluded.{0} IS NULL THEN {0} ELSE coalesce({0},0)+excluded.{0} END", c);
        else
            updates += fmt::format(", {0}=coalesce(excluded.{0},{0})", c);
    }
    return fmt::format(
        "INSERT INTO step({}) VALUES({}) ON CONFLICT DO UPDATE SET epoch=coalesce(excluded.epoch,epoch), "
        "flags=flags|excluded.flags, complete=max(complete,excluded.complete), "
        "not_finite=not_finite|excluded.not_finite, begin_ns=min(begin_ns,excluded.begin_ns), "
        "end_ns=max(end_ns,excluded.end_ns){}",
        columns, places, updates);
}

Result<void> BatchWriter::prepare(const Database& db) {
    m_db = &db;
    RS_TRY(m_collective.prepare(db, "collective", 16));
    RS_TRY(m_phase.prepare(db, "phase", 5));
    RS_TRY(m_pair.prepareUpsert(db, "wait_pair", 7,
                                "ON CONFLICT DO UPDATE SET wait_ns=wait_ns+excluded.wait_ns, "
                                "collectives=collectives+excluded.collectives"));
    const std::string step = stepUpsert();
    const std::array<std::pair<Statement*, std::string_view>, 11> all{{
        {&m_step, step},
        {&m_wait, "UPDATE collective SET wait_ns=?5, holder=?6 WHERE step=?1 AND group_id=?2 AND sequence=?3 AND "
                  "rank=?4"},
        {&m_note, "INSERT INTO note(rank,time_ns,step,severity,text) VALUES(?1,?2,?3,?4,?5)"},
        {&m_resource, "INSERT INTO resource VALUES(?1,?2,?3,?4,?5,?6,?7,?8) ON CONFLICT DO NOTHING"},
        {&m_anchor, "UPDATE rank SET host=?2, device=?3, pid=?4, local_rank=?5, config_hash=?6, "
                    "anchor_monotonic_ns=?7, anchor_realtime_ns=?8, ended=0 WHERE rank=?1"},
        {&m_end, "UPDATE rank SET ended=1, end_cause=?2, exit_code=?3, weights_hash=?4, end_text=?5 WHERE rank=?1"},
        {&m_tag, "INSERT INTO tag VALUES(?1,?2)"},
        {&m_counter, "INSERT INTO counter VALUES(?1,?2,?3) ON CONFLICT DO UPDATE SET value=value+excluded.value"},
        {&m_rank, "UPDATE rank SET first_step=?2, last_step=?3, last_ns=?4, last_loss=?5, waited_ns=?6, held_ns=?7, "
                  "final_step=?8 WHERE rank=?1"},
        {&m_validation, "INSERT INTO validation VALUES(?1,?2,?3,?4,?5,?6,?7,?8,?9,?10) ON CONFLICT DO NOTHING"},
        {&m_check, "INSERT OR REPLACE INTO rank_check VALUES(?1,?2,?3,?4,?5,?6)"},
    }};
    for (const auto& [statement, sql] : all) {
        RS_TRY_ASSIGN(auto prepared, db.prepare(sql));
        *statement = std::move(prepared);
    }
    return {};
}

Result<void> BatchWriter::write(IngestBatch& round, const TagTable& tags, std::int64_t startNs) {
    for (int id = tags.firstNew; id < tags.next(); ++id)
        RS_TRY(m_tag.runWith(id, tags.text(id)));
    RS_TRY(steps(round));
    RS_TRY(collectives(round, startNs));
    RS_TRY(phases(round, startNs));
    RS_TRY(validations(round, startNs));
    RS_TRY(checks(round, startNs));
    RS_TRY(scalars(round, startNs));
    RS_TRY(groups(round));
    RS_TRY(software(round));
    RS_TRY(small(round, startNs));
    RS_TRY(pairs(round));
    for (const auto& [key, more] : round.counters)
        RS_TRY(count(key.first, key.second, more));
    return {};
}

Result<void> BatchWriter::steps(const IngestBatch& round) {
    for (const auto& [key, delta] : round.steps) {
        m_step.bindAll(key.first, key.second, ifKnown(delta.epoch), delta.flags, delta.complete, delta.notFinite,
                       delta.beginNs, delta.endNs);
        for (std::size_t i = 0; i < delta.values.size(); ++i)
            m_step.bind(static_cast<int>(i) + kInsertKeys + 1,
                        delta.present >> i & 1 ? std::optional(delta.values[i]) : std::nullopt);
        RS_TRY(m_step.run());
    }
    return {};
}

Result<void> BatchWriter::collectives(IngestBatch& round, std::int64_t startNs) {
    auto& rows = round.collectives;
    const auto key = [](const CollectiveInsert& row) {
        return std::tuple(row.step, row.record->group, row.record->sequence, row.rank);
    };
    std::sort(rows.begin(), rows.end(), [&](const auto& a, const auto& b) { return key(a) < key(b); });
    const auto bind = [&](Statement& s, int at, std::size_t i) {
        const CollectiveInsert& row = rows[i];
        const CollectiveRecord& c = *row.record;
        s.bindFrom(at, row.step, c.group, c.sequence, row.rank, c.op, row.tag, c.dtype, c.count, c.failed, c.phase,
                   c.arrivedNs - startNs, c.startedNs - startNs, c.doneNs - startNs, c.exposedNs, ifKnown(row.waitNs),
                   ifKnown(row.holder));
    };
    RS_TRY(m_collective.run(rows.size(), bind, [&](std::size_t i) { round.count("duplicates", rows[i].rank, 1); }));
    return waits(round);
}

Result<void> BatchWriter::waits(const IngestBatch& round) {
    for (const WaitUpdate& w : round.waitUpdates)
        RS_TRY(m_wait.runWith(w.step, w.group, w.sequence, w.rank, w.waitNs, w.holder));
    return {};
}

Result<void> BatchWriter::phases(IngestBatch& round, std::int64_t startNs) {
    auto& rows = round.phases;
    const auto key = [](const auto& row) {
        const PhaseRecord& p = *row.second;
        return std::tuple(p.header.step, row.first, p.beginNs, p.phase);
    };
    std::sort(rows.begin(), rows.end(), [&](const auto& a, const auto& b) { return key(a) < key(b); });
    const auto bind = [&](Statement& s, int at, std::size_t i) {
        const auto& [rank, phase] = rows[i];
        s.bindFrom(at, phase->header.step, rank, phase->beginNs - startNs, phase->phase, phase->endNs - startNs);
    };
    return m_phase.run(rows.size(), bind, [&](std::size_t i) { round.count("duplicates", rows[i].first, 1); });
}

Result<void> BatchWriter::note(int rank, std::int64_t timeNs, std::int64_t step, NoteSeverity severity,
                               std::string_view text) {
    return m_note.runWith(rank, timeNs, step, severity, text);
}

Result<void> BatchWriter::validations(const IngestBatch& round, std::int64_t startNs) {
    for (const auto& [rank, v] : round.validations)
        RS_TRY(m_validation.runWith(rank, v->header.step, v->beginNs - startNs, v->endNs - startNs, v->epoch, v->loss,
                                    v->localLoss, v->batches, v->unmasked, v->maskedFrames));
    return {};
}

Result<void> BatchWriter::scalars(const IngestBatch& round, std::int64_t startNs) {
    if (round.scalars.empty())
        return {};
    if (!m_scalar) {
        RS_TRY(addScalars(*m_db));
        RS_TRY_ASSIGN(m_scalarTag, m_db->prepare("INSERT INTO scalar_tag(name) VALUES(?1) ON CONFLICT DO NOTHING"));
        RS_TRY_ASSIGN(m_scalar,
                      m_db->prepare("INSERT INTO scalar SELECT ?1, id, ?3, ?4, ?5 FROM scalar_tag WHERE name=?2 ON "
                                    "CONFLICT DO UPDATE SET time_ns=excluded.time_ns, value=excluded.value"));
    }
    for (const auto& [rank, s] : round.scalars) {
        const std::string_view name = getText(s->name, sizeof s->name);
        RS_TRY(m_scalarTag.runWith(name));
        RS_TRY(m_scalar.runWith(rank, name, s->header.step, s->header.timeNs - startNs, s->value));
    }
    return {};
}

/// Returns the members as "[0,2,4]".
static std::string rankList(const GroupRecord& group) {
    std::string list;
    for (std::size_t bit = 0; bit < 8 * group.members.size(); ++bit)
        if ((group.members[bit / 8] >> bit % 8 & 1) != 0)
            list += fmt::format("{}{}", list.empty() ? "" : ",", group.firstRank + static_cast<std::int64_t>(bit));
    return "[" + list + "]";
}

Result<void> BatchWriter::groups(const IngestBatch& round) {
    if (!round.groups.empty() && !m_group) {
        RS_TRY(addGroups(*m_db));
        // each member reports the group
        RS_TRY_ASSIGN(m_group,
                      m_db->prepare("INSERT INTO process_group VALUES(?1,?2,?3,?4,?5,?6) ON CONFLICT DO NOTHING"));
    }
    for (const GroupRecord* g : round.groups)
        RS_TRY(m_group.runWith(g->group, g->firstRank, g->size, getText(g->name, sizeof g->name),
                               getText(g->backend, sizeof g->backend), rankList(*g)));
    return {};
}

Result<void> BatchWriter::software(const IngestBatch& round) {
    if (!round.software.empty() && !m_software) {
        RS_TRY(addSoftware(*m_db));
        RS_TRY_ASSIGN(m_software, m_db->prepare("INSERT OR REPLACE INTO software VALUES(?1,?2,?3)"));
    }
    for (const auto& [rank, s] : round.software)
        RS_TRY(m_software.runWith(getText(s->name, sizeof s->name), rank, getText(s->version, sizeof s->version)));
    return {};
}

Result<void> BatchWriter::checks(const IngestBatch& round, std::int64_t startNs) {
    for (const auto& [rank, c] : round.checks)
        RS_TRY(m_check.runWith(rank, getText(c->name, sizeof c->name), c->status, c->stops,
                               getText(c->text, sizeof c->text), c->header.timeNs - startNs));
    return {};
}

Result<void> BatchWriter::small(const IngestBatch& round, std::int64_t startNs) {
    for (const auto& [rank, n] : round.notes)
        RS_TRY(note(rank, n->header.timeNs - startNs, n->header.step, n->severity, getText(n->text, sizeof n->text)));
    for (const auto& [rank, r] : round.resources)
        RS_TRY(m_resource.runWith(rank, r->header.timeNs - startNs, r->header.step, r->rssBytes, r->cpuNs,
                                  r->gpuUsedBytes, r->gpuUtilisation, r->threads));
    for (const auto& [rank, a] : round.anchors)
        RS_TRY(m_anchor.runWith(rank, getText(a->host, sizeof a->host), getText(a->device, sizeof a->device), a->pid,
                                a->localRank, a->configHash, a->monotonicNs, a->realtimeNs));
    for (const auto& [rank, e] : round.ends)
        RS_TRY(m_end.runWith(rank, e->cause, e->exitCode, e->weightsHash, getText(e->text, sizeof e->text)));
    return {};
}

/// Adds up charges of the same pair of ranks, family of tags and bucket; sorts them by the table's key.
static void addUp(std::vector<PairWait>& charges, std::int64_t steps, const std::vector<std::string>& families) {
    for (PairWait& c : charges)
        c.bucket /= steps;
    std::sort(charges.begin(), charges.end(), [&](const PairWait& a, const PairWait& b) {
        return std::tie(a.bucket, a.waiter, a.holder, families[a.family]) <
               std::tie(b.bucket, b.waiter, b.holder, families[b.family]);
    });
    std::size_t end = 0;
    for (const PairWait& c : charges) {
        PairWait* last = end ? &charges[end - 1] : nullptr;
        if (last && std::tie(last->bucket, last->waiter, last->holder, last->family) ==
                        std::tie(c.bucket, c.waiter, c.holder, c.family)) {
            last->sum.waitNs += c.sum.waitNs;
            last->sum.collectives += c.sum.collectives;
        } else {
            charges[end++] = c;
        }
    }
    charges.resize(end);
}

Result<void> BatchWriter::pairs(IngestBatch& round) {
    for (int level = 0; level < kPairLevels; ++level) {
        addUp(round.pairs, level == 0 ? 1 : kFanOut, round.families);
        const auto bind = [&](Statement& s, int at, std::size_t i) {
            const PairWait& c = round.pairs[i];
            s.bindFrom(at, level, c.bucket, c.waiter, c.holder, round.families[c.family], c.sum.waitNs,
                       c.sum.collectives);
        };
        RS_TRY(m_pair.run(round.pairs.size(), bind, [](std::size_t) {}));
    }
    return {};
}

Result<void> BatchWriter::count(const std::string& name, int rank, std::int64_t more) {
    return m_counter.runWith(name, rank, more);
}

Result<void> BatchWriter::rank(int rank, const RankProgress& s) {
    return m_rank.runWith(rank, s.firstStep, s.lastStep, s.lastNs, s.lastLoss, s.waitedNs, s.heldNs, s.finalStep);
}

} // namespace rankscope::store
