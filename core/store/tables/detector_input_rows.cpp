// SPDX-License-Identifier: Apache-2.0
#include "core/store/tables/detector_input_rows.h"

#include "core/base/values/result.h"
#include "core/store/tables/row_reading.h"

#include <algorithm>

namespace rankscope::store {

using diagnosis::RecordingChunk;

Result<void> addDetectorInput(const Database& db) {
    return db.execute("CREATE TABLE detector_input(group_id INTEGER NOT NULL, piece INTEGER NOT NULL, first_round "
                      "INTEGER NOT NULL, rounds INTEGER NOT NULL, begin_ns INTEGER NOT NULL, end_ns INTEGER NOT NULL, "
                      "incidents INTEGER NOT NULL, checksum INTEGER NOT NULL, bytes BLOB NOT NULL, "
                      "PRIMARY KEY(group_id, piece))");
}

Result<void> InputRowWriter::prepare(const Database& db, std::int64_t keptBytes) {
    m_kept = keptBytes;
    RS_TRY_ASSIGN(m_insert, db.prepare("INSERT OR REPLACE INTO detector_input VALUES(?1,?2,?3,?4,?5,?6,?7,?8,?9)"));
    RS_TRY_ASSIGN(m_delete, db.prepare("DELETE FROM detector_input WHERE group_id=?1"));
    return {};
}

Result<void> InputRowWriter::load(const Database& db) {
    m_groups.clear();
    m_bytes = 0;
    RS_TRY_ASSIGN(
        auto rows,
        db.prepare("SELECT group_id, sum(length(bytes)), max(incidents) FROM detector_input GROUP BY group_id"));
    return forEach(rows, [&](const Statement& row) {
        m_groups[row.integer(0)] = {row.integer(1), row.integer(2) != 0};
        m_bytes += row.integer(1);
    });
}

Result<void> InputRowWriter::write(std::span<const RecordingChunk> pieces, std::int64_t startNs) {
    for (const RecordingChunk& p : pieces) {
        m_insert.bindAll(p.group, p.number, p.firstRound, p.rounds, p.beginNs - startNs, p.endNs - startNs, p.incidents,
                         p.checksum);
        RS_TRY(m_insert.bindBytes(9, p.bytes).run());
        InputGroup& group = m_groups[p.group];
        group.bytes += static_cast<std::int64_t>(p.bytes.size());
        group.incidents = group.incidents || p.incidents;
        m_bytes += static_cast<std::int64_t>(p.bytes.size());
    }
    return {};
}

Result<void> InputRowWriter::drop(std::int64_t group) {
    const auto at = m_groups.find(group);
    m_bytes -= at->second.bytes;
    m_groups.erase(at);
    return m_delete.runWith(group);
}

Result<void> InputRowWriter::thin() {
    while (m_bytes > m_kept && m_groups.size() > 1) {
        const auto newest = std::prev(m_groups.end());
        auto oldest = std::find_if(m_groups.begin(), newest, [](const auto& g) { return !g.second.incidents; });
        if (oldest == newest && m_bytes <= 4 * m_kept)
            break; // groups with incidents are the ones worth diagnosing again
        if (oldest == newest)
            oldest = m_groups.begin();
        RS_TRY(drop(oldest->first));
    }
    return {};
}

Result<void> readInput(const Database& db, std::int64_t startNs,
                       const std::function<Result<void>(const RecordingChunk&)>& take) {
    RS_TRY_ASSIGN(
        auto rows,
        db.prepare("SELECT group_id, piece, first_round, rounds, begin_ns, end_ns, incidents, checksum, bytes "
                   "FROM detector_input ORDER BY group_id, piece"));
    return forEach(rows, [&](const Statement& row) {
        RecordingChunk p;
        p.group = row.integer(0);
        p.number = row.integer(1);
        p.firstRound = row.integer(2);
        p.rounds = row.integer(3);
        p.beginNs = timeOf(row, 4) + startNs;
        p.endNs = timeOf(row, 5) + startNs;
        p.incidents = row.integer(6) != 0;
        p.checksum = static_cast<std::uint32_t>(row.integer(7));
        p.bytes = row.bytes(8);
        return take(p);
    });
}

} // namespace rankscope::store
