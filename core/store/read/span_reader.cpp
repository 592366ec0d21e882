// SPDX-License-Identifier: Apache-2.0
#include "core/store/read/span_reader.h"

#include <algorithm>
#include <limits>

namespace rankscope::store {

using telemetry::CollectiveOp;
using telemetry::Phase;

static constexpr int kStepKeys = 5; ///< columns before the metrics
static constexpr int kNoLimit = -1;

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

Result<void> SpanReader::eachStep(int rank, StepInterval steps,
                                  const std::function<Result<void>(const StepRow&)>& take) {
    std::string sql = "SELECT step, epoch, begin_ns, end_ns, not_finite";
    for (const MetricInfo& metric : metrics())
        sql.append(", ").append(metric.column);
    return m_store->each(
        sql + " FROM step WHERE rank=?1 AND step>=?2 AND step<=?3 ORDER BY step",
        [&](const Statement& row) { return take(stepOf(rank, row)); }, rank, steps.first, steps.last);
}

Result<void> SpanReader::eachValidation(int rank, StepInterval steps,
                                        const std::function<Result<void>(const ValidationRow&)>& take) {
    RS_TRY_ASSIGN(const bool known, m_store->has("validation"));
    if (!known)
        return {};
    return m_store->each(
        "SELECT step, begin_ns, end_ns, loss, local_loss, batches, masked_frames FROM validation WHERE rank=?1 AND "
        "step>=?2 AND "
        "step<=?3 ORDER BY step, begin_ns",
        [&](const Statement& row) {
            return take({rank, row.integer(0), row.integer(1), row.integer(2), row.number(3), row.number(4),
                         row.integer(5), !row.isNull(3) || row.integer(6) >= 0});
        },
        rank, steps.first, steps.last);
}

Result<void> SpanReader::eachScalar(int rank, const std::function<Result<void>(const ScalarRow&)>& take) {
    RS_TRY_ASSIGN(const bool known, m_store->has("scalar"));
    if (!known)
        return {};
    return m_store->each(
        "SELECT name, step, time_ns, value FROM scalar JOIN scalar_tag ON scalar_tag.id=tag WHERE rank=?1 ORDER BY "
        "tag, step",
        [&](const Statement& row) {
            return take({rank, row.text(0), row.integer(1), row.integer(2), row.number(3)});
        },
        rank);
}

static CollectiveRow collectiveOf(const Statement& row) {
    CollectiveRow c;
    c.rank = rankIn(row, 0);
    c.step = stepIn(row, 1);
    c.group = static_cast<std::uint32_t>(row.integer(2));
    c.sequence = static_cast<std::uint64_t>(row.integer(3));
    c.op = enumIn(row, 4, CollectiveOp::Other);
    c.tag = row.text(5);
    c.count = row.integer(6);
    c.phase = enumIn(row, 7, Phase::None);
    c.arrivedNs = timeOf(row, 8);
    c.startedNs = timeOf(row, 9);
    c.doneNs = timeOf(row, 10);
    c.exposedNs = timeOf(row, 11);
    c.waitNs = row.isNull(12) ? -1 : timeOf(row, 12);
    c.holder = row.isNull(13) ? -1 : rankIn(row, 13);
    return c;
}

static PhaseRow phaseRowOf(const Statement& row) {
    return {rankIn(row, 0), stepIn(row, 1), enumIn(row, 2, Phase::None), timeOf(row, 3), timeOf(row, 4)};
}

static constexpr std::string_view kCollectives =
    "SELECT rank, step, group_id, sequence, op, tag.name, count, phase, arrived_ns, started_ns, done_ns, exposed_ns, "
    "wait_ns, holder FROM collective LEFT JOIN tag ON tag.id=tag WHERE step>=?1 AND step<=?2 ORDER BY step, group_id, "
    "sequence, rank LIMIT ?3";
static constexpr std::string_view kPhases = "SELECT rank, step, phase, begin_ns, end_ns FROM phase WHERE step>=?1 AND "
                                            "step<=?2 ORDER BY step, rank, begin_ns LIMIT ?3";

Result<std::vector<CollectiveRow>> SpanReader::collectives(std::int64_t firstStep, std::int64_t lastStep, int limit) {
    std::vector<CollectiveRow> result;
    RS_TRY(m_store->eachReadable(
        "collective", kCollectives, [&](const Statement& row) { result.push_back(collectiveOf(row)); }, firstStep,
        lastStep, std::max(limit, 0)));
    return result;
}

Result<std::vector<PhaseRow>> SpanReader::phases(std::int64_t firstStep, std::int64_t lastStep, int limit) {
    std::vector<PhaseRow> result;
    RS_TRY(m_store->eachReadable(
        "phase", kPhases, [&](const Statement& row) { result.push_back(phaseRowOf(row)); }, firstStep, lastStep,
        std::max(limit, 0)));
    return result;
}

Result<void> SpanReader::eachCollective(StepInterval steps,
                                        const std::function<Result<void>(const CollectiveRow&)>& take) {
    return m_store->each(
        kCollectives, [&](const Statement& row) { return take(collectiveOf(row)); }, steps.first, steps.last, kNoLimit);
}

Result<void> SpanReader::eachPhase(StepInterval steps, const std::function<Result<void>(const PhaseRow&)>& take) {
    return m_store->each(
        kPhases, [&](const Statement& row) { return take(phaseRowOf(row)); }, steps.first, steps.last, kNoLimit);
}

} // namespace rankscope::store
