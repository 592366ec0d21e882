// SPDX-License-Identifier: Apache-2.0
#include "core/store/write/import_writer.h"

#include "core/base/values/result.h"
#include "core/store/tables/row_reading.h"
#include "core/store/tables/schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace rankscope::store {

namespace {

constexpr std::int64_t kStepsAtOnce = 8192;

struct StepTime {
    std::int64_t step = 0, beginNs = 0, endNs = 0;
};

} // namespace

Result<void> ImportWriter::take(const ImportedValue& v) {
    switch (v.kind) {
    case ImportedValue::ImportedKind::Metric:
        return metric(v);
    case ImportedValue::ImportedKind::Epoch:
        return epoch(v);
    case ImportedValue::ImportedKind::Validation:
        return validation(v);
    case ImportedValue::ImportedKind::Other:
        break;
    }
    return other(v);
}

Result<void> ImportWriter::metric(const ImportedValue& v) {
    const auto index = static_cast<std::size_t>(v.metric);
    const std::int64_t bit = std::int64_t{1} << index;
    const bool finite = std::isfinite(v.value);
    Statement& row = m_metrics[index];
    RS_TRY(prepare(row, fmt::format("INSERT INTO step(rank,step,flags,complete,not_finite,begin_ns,end_ns,{0}) "
                                    "VALUES(?1,?2,0,1,?3,?4,?4,?5) ON CONFLICT DO UPDATE SET "
                                    "not_finite=(not_finite&~{1})|excluded.not_finite, {0}=excluded.{0}, "
                                    "end_ns=max(end_ns,excluded.end_ns)",
                                    info(v.metric).column, bit)));
    return row.runWith(v.rank, v.step, finite ? 0 : bit, v.timeNs, finite ? std::optional(v.value) : std::nullopt);
}

Result<void> ImportWriter::epoch(const ImportedValue& v) {
    RS_TRY(prepare(m_epoch, "INSERT INTO step(rank,step,epoch,flags,complete,not_finite,begin_ns,end_ns) "
                            "VALUES(?1,?2,?3,0,1,0,?4,?4) ON CONFLICT DO UPDATE SET epoch=excluded.epoch, "
                            "end_ns=max(end_ns,excluded.end_ns)"));
    const bool sound = v.value >= 0 && v.value < 1e9; // any other value leaves the epoch unknown
    return m_epoch.runWith(v.rank, v.step, sound ? std::optional(std::llround(v.value)) : std::nullopt, v.timeNs);
}

Result<void> ImportWriter::validation(const ImportedValue& v) {
    RS_TRY(prepare(m_older, "DELETE FROM validation WHERE rank=?1 AND step=?2"));
    RS_TRY(m_older.runWith(v.rank, v.step));
    RS_TRY(prepare(m_validation, "INSERT INTO validation(rank,step,begin_ns,end_ns,epoch,loss,local_loss,batches,"
                                 "unmasked,masked_frames) VALUES(?1,?2,?3,?3,-1,?4,?4,0,0,0)"));
    return m_validation.runWith(v.rank, v.step, v.timeNs, v.value);
}

Result<void> ImportWriter::other(const ImportedValue& v) {
    if (!m_scalar)
        RS_TRY(addScalars(m_db));
    RS_TRY(prepare(m_tag, "INSERT INTO scalar_tag(name) VALUES(?1) ON CONFLICT DO NOTHING"));
    RS_TRY(prepare(m_scalar, "INSERT INTO scalar SELECT ?1, id, ?3, ?4, ?5 FROM scalar_tag WHERE name=?2 ON CONFLICT "
                             "DO UPDATE SET time_ns=excluded.time_ns, value=excluded.value"));
    RS_TRY(m_tag.runWith(v.tag));
    return m_scalar.runWith(v.rank, v.tag, v.step, v.timeNs, v.value);
}

Result<void> ImportWriter::prepare(Statement& statement, std::string_view sql) {
    if (statement)
        return {};
    RS_TRY_ASSIGN(statement, m_db.prepare(sql));
    return {};
}

/// So far, each step has only the time at which it was recorded, which is its end. It began when the previous step
/// ended, or later if its step time says so.
Result<void> ImportWriter::setTimes(int rank) {
    RS_TRY_ASSIGN(
        auto select,
        m_db.prepare("SELECT step, begin_ns, end_ns, step_ns FROM step WHERE rank=?1 AND step>=?2 ORDER BY step "
                     "LIMIT ?3"));
    RS_TRY_ASSIGN(auto update, m_db.prepare("UPDATE step SET begin_ns=?3, end_ns=?4 WHERE rank=?1 AND step=?2"));
    std::int64_t next = 0, endNs = 0;
    for (std::vector<StepTime> changed{{}}; !changed.empty();) {
        changed.clear();
        select.bindAll(rank, next, kStepsAtOnce);
        RS_TRY(forEach(select, [&](const Statement& row) {
            StepTime time{row.integer(0), endNs, std::max(endNs, row.integer(2))};
            const double took = row.real(3); // NULL reads as 0
            if (took > 0 && took < static_cast<double>(time.endNs - endNs))
                time.beginNs = time.endNs - static_cast<std::int64_t>(took);
            endNs = time.endNs;
            changed.push_back(time);
        }));
        for (const StepTime& time : changed)
            RS_TRY(update.runWith(rank, time.step, time.beginNs, time.endNs));
        if (!changed.empty())
            next = changed.back().step + 1;
    }
    return {};
}

Result<void> ImportWriter::finishRank(int rank) {
    RS_TRY(setTimes(rank));
    RS_TRY_ASSIGN(
        auto update,
        m_db.prepare(
            "UPDATE rank SET first_step=coalesce((SELECT min(step) FROM step WHERE rank=?1),-1), "
            "last_step=coalesce((SELECT max(step) FROM step WHERE rank=?1),-1), "
            "last_ns=max(coalesce((SELECT max(end_ns) FROM step WHERE rank=?1),0), "
            "coalesce((SELECT max(end_ns) FROM validation WHERE rank=?1),0)), "
            "last_loss=(SELECT loss FROM step WHERE rank=?1 AND loss IS NOT NULL ORDER BY step DESC LIMIT 1), "
            "waited_ns=CAST(coalesce((SELECT sum(wait_ns) FROM step WHERE rank=?1),0) AS INTEGER) WHERE rank=?1"));
    return update.runWith(rank);
}

} // namespace rankscope::store
