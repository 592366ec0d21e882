// SPDX-License-Identifier: Apache-2.0
#include "core/store/tables/incident_rows.h"

#include "core/base/text/untrusted_json.h"
#include "core/base/values/result.h"
#include "core/store/tables/row_reading.h"

#include <fmt/format.h>

#include <algorithm>

namespace rankscope::store {

using diagnosis::Incident;
using nlohmann::json;

static constexpr std::size_t kMostIncidents = 100'000; ///< read from a table

/// Text from logs and paths may contain any bytes: invalid UTF-8 is replaced, so that no exception is thrown.
static std::string dump(const json& value) {
    return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

Result<void> IncidentWriter::prepare(const Database& db) {
    RS_TRY_ASSIGN(m_upsert,
                  db.prepare("INSERT OR REPLACE INTO incident VALUES(?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14,"
                             "?15,?16,?17,?18,?19,?20)"));
    return {};
}

Result<void> IncidentWriter::write(std::int64_t id, const Incident& i, std::int64_t lastStep, std::int64_t startNs) {
    m_upsert.bindAll(id, causeName(i.cause), i.phase, dump(i.holders), dump(i.waiters));
    if (const auto& c = i.collective; c.known)
        m_upsert.bindFrom(6, c.tag, c.op, c.group, c.sequence);
    else
        m_upsert.bindNull(6).bindNull(7).bindNull(8).bindNull(9);
    const bool open = i.closed == diagnosis::CloseReason::Open;
    m_upsert.bindFrom(10, i.step, std::max(lastStep, i.step), i.straggler, i.openedNs - startNs, i.detectedNs - startNs,
                      open ? std::nullopt : std::optional(i.closedNs - startNs), i.closed, i.remedy.text.english(),
                      i.remedy.key, i.remedy.value, dump(toJson(i.evidence)));
    return m_upsert.run();
}

static std::vector<int> rankList(const std::string& text) {
    std::vector<int> ranks;
    const auto list = readJson(text);
    if (list && list->is_array())
        for (const json& rank : *list)
            if (rank.is_number_integer()) {
                const auto value = rank.get<std::int64_t>();
                ranks.push_back(value < 0 || value >= telemetry::kMaxRanks ? -1 : static_cast<int>(value));
            }
    return ranks;
}

static Incident rowOf(const Statement& row, std::int64_t startNs) {
    Incident i;
    i.id = row.integer(0);
    i.cause = diagnosis::causeFromName(row.text(1));
    i.phase = enumIn(row, 2, telemetry::Phase::None);
    i.holders = rankList(row.text(3));
    i.waiters = rankList(row.text(4));
    if (!row.isNull(5)) {
        i.collective = {row.text(5), enumIn(row, 6, telemetry::CollectiveOp::Other),
                        static_cast<std::uint32_t>(row.integer(7)), static_cast<std::uint64_t>(row.integer(8)), true};
    }
    i.step = stepIn(row, 9);
    i.straggler = row.integer(10) != 0;
    i.openedNs = timeOf(row, 11) + startNs;
    i.detectedNs = timeOf(row, 12) + startNs;
    i.closedNs = row.isNull(13) ? 0 : timeOf(row, 13) + startNs;
    const std::int64_t reason = row.integer(14);
    if (reason >= 0 && reason <= static_cast<std::int64_t>(diagnosis::CloseReason::StoppedByUser))
        i.closed = static_cast<diagnosis::CloseReason>(reason);
    i.remedy = {row.text(15), row.text(16), row.text(17)};
    return i;
}

/// Returns whether this program cannot have written the row: the file is damaged in a way that SQLite does not detect.
static bool isImpossible(const Statement& row, const Incident& i, const std::optional<json>& evidence) {
    const bool cause = i.cause != diagnosis::Cause::Unknown || row.text(1) == causeName(diagnosis::Cause::Unknown);
    const auto isRank = [](int r) { return r >= 0; };
    const bool ranks = std::all_of(i.holders.begin(), i.holders.end(), isRank) &&
                       std::all_of(i.waiters.begin(), i.waiters.end(), isRank);
    return i.id < 1 || !cause || !ranks || i.holders.empty() != (i.cause == diagnosis::Cause::Paused) || !evidence ||
           !(evidence->is_object() || evidence->is_null());
}

Result<void> readIncidents(const Database& db, std::int64_t startNs, std::vector<Incident>& incidents,
                           bool& impossible) {
    // most runs have none, and asking takes a fraction of the time of preparing the statement below
    RS_TRY_ASSIGN(const auto any, db.scalar("SELECT EXISTS (SELECT 1 FROM incident)"));
    if (any == 0)
        return {};
    RS_TRY_ASSIGN(auto rows, db.prepare(fmt::format(
                                 "SELECT id, cause, phase, holders, waiters, tag, op, group_id, sequence, step, "
                                 "straggler, opened_ns, detected_ns, closed_ns, close_reason, remedy_text, remedy_key, "
                                 "remedy_value, evidence FROM incident ORDER BY id LIMIT {}",
                                 kMostIncidents)));
    return forEach(rows, [&](const Statement& row) {
        Incident incident = rowOf(row, startNs);
        auto evidence = readJson(row.text(18)); // not JSON if it was cut off
        const bool bad =
            isImpossible(row, incident, evidence) || (!incidents.empty() && incident.id <= incidents.back().id);
        impossible |= bad;
        if (bad)
            return;
        incident.evidence = diagnosis::evidenceFromJson(*evidence);
        incidents.push_back(std::move(incident));
    });
}

Result<diagnosis::ActiveClock> readPauses(const Database& db) {
    diagnosis::ActiveClock clock(kMostIncidents);
    RS_TRY_ASSIGN(auto rows, db.prepare(fmt::format("SELECT opened_ns, closed_ns FROM incident WHERE cause='{}' AND "
                                                    "closed_ns IS NOT NULL ORDER BY opened_ns LIMIT {}",
                                                    causeName(diagnosis::Cause::Paused), kMostIncidents)));
    RS_TRY(forEach(rows, [&](const Statement& row) { clock.add({timeOf(row, 0), timeOf(row, 1)}); }));
    return clock;
}

} // namespace rankscope::store
