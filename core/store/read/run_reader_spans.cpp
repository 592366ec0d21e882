// SPDX-License-Identifier: Apache-2.0
#include "core/base/values/result.h"
#include "core/store/read/run_reader_impl.h"
#include "core/store/tables/schema.h"

#include <algorithm>
#include <limits>

namespace rankscope::store {

using telemetry::CollectiveOp;
using telemetry::Phase;

static constexpr int kStepKeys = 5; ///< columns before the metrics

static StepRow stepOf(int rank, const Statement& row) {
    StepRow s;
    s.rank = rank;
    s.step = stepIn(row, 0);
    s.epoch = row.isNull(1) ? -1 : row.integer(1);
    s.beginNs = timeOf(row, 2);
    s.endNs = timeOf(row, 3);
    const std::int64_t notFinite = row.integer(4);
    for (std::size_t i = 0; i < s.values.size(); ++i) {
        const int column = static_cast<int>(i) + kStepKeys;
        if (notFinite >> i & 1)
            s.values[i] = std::numeric_limits<double>::quiet_NaN();
        else if (!row.isNull(column))
            s.values[i] = row.number(column);
    }
    return s;
}

/// As forEach, of what may fail.
template <class F> static Result<void> tryEach(Statement& rows, F take) {
    for (;;) {
        RS_TRY_ASSIGN(auto row, rows.step());
        if (!row)
            return {};
        if (Result<void> taken = take(rows); !taken) {
            rows.reset(); // or it would hold the log open
            return taken;
        }
    }
}

Result<void> RunReader::eachStep(int rank, StepInterval steps,
                                 const std::function<Result<void>(const StepRow&)>& take) {
    std::string sql = "SELECT step, epoch, begin_ns, end_ns, not_finite";
    for (const MetricInfo& metric : metrics())
        sql.append(", ").append(metric.column);
    RS_TRY_ASSIGN(auto rows, m->statement(sql + " FROM step WHERE rank=?1 AND step>=?2 AND step<=?3 ORDER BY step"));
    rows->bind(1, rank).bind(2, steps.first).bind(3, steps.last);
    return tryEach(*rows, [&](const Statement& row) { return take(stepOf(rank, row)); });
}

Result<void> RunReader::eachValidation(int rank, StepInterval steps,
                                       const std::function<Result<void>(const ValidationRow&)>& take) {
    auto known = hasTable(m->db, "validation");
    if (!known || !*known)
        return known ? Result<void>{} : tl::unexpected(known.error());
    RS_TRY_ASSIGN(auto rows,
                  m->statement("SELECT step, begin_ns, end_ns, loss, local_loss, batches FROM validation WHERE rank=?1 "
                               "AND step>=?2 AND step<=?3 ORDER BY step, begin_ns"));
    rows->bind(1, rank).bind(2, steps.first).bind(3, steps.last);
    return tryEach(*rows, [&](const Statement& row) {
        return take(
            {rank, row.integer(0), row.integer(1), row.integer(2), row.number(3), row.number(4), row.integer(5)});
    });
}

Result<void> RunReader::eachScalar(int rank, const std::function<Result<void>(const ScalarRow&)>& take) {
    auto known = hasTable(m->db, "scalar");
    if (!known || !*known)
        return known ? Result<void>{} : tl::unexpected(known.error());
    RS_TRY_ASSIGN(
        auto rows,
        m->statement("SELECT name, step, time_ns, value FROM scalar JOIN scalar_tag ON scalar_tag.id=tag WHERE "
                     "rank=?1 ORDER BY tag, step"));
    rows->bind(1, rank);
    return tryEach(*rows, [&](const Statement& row) {
        return take({rank, row.text(0), row.integer(1), row.integer(2), row.number(3)});
    });
}

Result<std::vector<ScalarRow>> RunReader::setLosses() {
    std::vector<ScalarRow> newest;
    auto known = hasTable(m->db, "scalar");
    if (!known || !*known)
        return known ? Result<std::vector<ScalarRow>>(std::move(newest)) : tl::unexpected(known.error());
    RS_TRY_ASSIGN(auto rows,
                  m->statement("SELECT name, step, time_ns, value FROM scalar_tag JOIN scalar ON rank=0 AND "
                               "tag=scalar_tag.id AND step=(SELECT max(step) FROM scalar WHERE rank=0 AND "
                               "tag=scalar_tag.id) WHERE substr(name,-9)='_val_loss' ORDER BY name LIMIT 1000"));
    RS_TRY(tryEach(*rows, [&](const Statement& row) {
        newest.push_back({0, row.text(0), row.integer(1), row.integer(2), row.number(3)});
        return Result<void>();
    }));
    return newest;
}

static Phase phaseOf(std::int64_t value) {
    return value >= 0 && value < static_cast<std::int64_t>(Phase::Count) ? static_cast<Phase>(value) : Phase::None;
}

static CollectiveOp opOf(std::int64_t value) {
    const bool known = value >= 0 && value < static_cast<std::int64_t>(CollectiveOp::Count);
    return known ? static_cast<CollectiveOp>(value) : CollectiveOp::Other;
}

static CollectiveRow collectiveOf(const Statement& row) {
    CollectiveRow c;
    c.rank = rankIn(row, 0);
    c.step = stepIn(row, 1);
    c.group = static_cast<std::uint32_t>(row.integer(2));
    c.sequence = static_cast<std::uint64_t>(row.integer(3));
    c.op = opOf(row.integer(4));
    c.tag = row.text(5);
    c.count = row.integer(6);
    c.phase = phaseOf(row.integer(7));
    c.arrivedNs = timeOf(row, 8);
    c.startedNs = timeOf(row, 9);
    c.doneNs = timeOf(row, 10);
    c.exposedNs = timeOf(row, 11);
    c.waitNs = row.isNull(12) ? -1 : timeOf(row, 12);
    c.holder = row.isNull(13) ? -1 : rankIn(row, 13);
    return c;
}

static PhaseRow phaseRowOf(const Statement& row) {
    return {rankIn(row, 0), stepIn(row, 1), phaseOf(row.integer(2)), timeOf(row, 3), timeOf(row, 4)};
}

static constexpr std::string_view kCollectives =
    "SELECT rank, step, group_id, sequence, op, tag.name, count, phase, arrived_ns, started_ns, done_ns, exposed_ns, "
    "wait_ns, holder FROM collective LEFT JOIN tag ON tag.id=tag WHERE step>=?1 AND step<=?2 ORDER BY step, group_id, "
    "sequence, rank LIMIT ?3";
static constexpr std::string_view kPhases = "SELECT rank, step, phase, begin_ns, end_ns FROM phase WHERE step>=?1 AND "
                                            "step<=?2 ORDER BY step, rank, begin_ns LIMIT ?3";

Result<std::vector<CollectiveRow>> RunReader::collectives(std::int64_t firstStep, std::int64_t lastStep, int limit) {
    std::vector<CollectiveRow> result;
    auto rows = m->statement(kCollectives);
    if (!rows) {
        RS_TRY(m->noted("collective", rows.error()));
        return result;
    }
    (*rows)->bind(1, firstStep).bind(2, lastStep).bind(3, std::max(limit, 0));
    auto read = forEach(**rows, [&](const Statement& row) { result.push_back(collectiveOf(row)); });
    if (!read)
        RS_TRY(m->noted("collective", read.error()));
    return result;
}

Result<std::vector<PhaseRow>> RunReader::phases(std::int64_t firstStep, std::int64_t lastStep, int limit) {
    std::vector<PhaseRow> result;
    auto rows = m->statement(kPhases);
    if (!rows) {
        RS_TRY(m->noted("phase", rows.error()));
        return result;
    }
    (*rows)->bind(1, firstStep).bind(2, lastStep).bind(3, std::max(limit, 0));
    auto read = forEach(**rows, [&](const Statement& row) { result.push_back(phaseRowOf(row)); });
    if (!read)
        RS_TRY(m->noted("phase", read.error()));
    return result;
}

Result<void> RunReader::eachCollective(StepInterval steps,
                                       const std::function<Result<void>(const CollectiveRow&)>& take) {
    RS_TRY_ASSIGN(auto rows, m->statement(kCollectives));
    rows->bind(1, steps.first).bind(2, steps.last).bind(3, std::int64_t{-1}); // no limit
    return tryEach(*rows, [&](const Statement& row) { return take(collectiveOf(row)); });
}

Result<void> RunReader::eachPhase(StepInterval steps, const std::function<Result<void>(const PhaseRow&)>& take) {
    RS_TRY_ASSIGN(auto rows, m->statement(kPhases));
    rows->bind(1, steps.first).bind(2, steps.last).bind(3, std::int64_t{-1});
    return tryEach(*rows, [&](const Statement& row) { return take(phaseRowOf(row)); });
}

} // namespace rankscope::store
