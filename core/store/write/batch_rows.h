// SPDX-License-Identifier: Apache-2.0
// Writes the rows of a round, inside the caller's transaction.
#pragma once

#include "core/store/sqlite/bulk_insert.h"
#include "core/store/sqlite/sqlite.h"
#include "core/store/write/ingest_batch.h"

namespace rankscope::store {

class BatchWriter {
public:
    Result<void> prepare(const Database& db);
    Result<void> write(IngestBatch& round, const TagTable& tags, std::int64_t startNs);
    Result<void> rank(int rank, const RankProgress& state);
    Result<void> count(const std::string& name, int rank, std::int64_t more);
    Result<void> note(int rank, std::int64_t timeNs, std::int64_t step, telemetry::NoteSeverity severity,
                      std::string_view text);

private:
    Result<void> steps(const IngestBatch& round);
    Result<void> collectives(IngestBatch& round, std::int64_t startNs);
    Result<void> waits(const IngestBatch& round);
    Result<void> phases(IngestBatch& round, std::int64_t startNs);
    Result<void> validations(const IngestBatch& round, std::int64_t startNs);
    Result<void> checks(const IngestBatch& round, std::int64_t startNs);
    Result<void> scalars(const IngestBatch& round, std::int64_t startNs);
    Result<void> groups(const IngestBatch& round);
    Result<void> software(const IngestBatch& round);
    Result<void> small(const IngestBatch& round, std::int64_t startNs);
    Result<void> pairs(IngestBatch& round);

    const Database* m_db = nullptr;
    BulkInsert m_collective, m_phase, m_pair;
    Statement m_step, m_wait, m_note, m_resource, m_anchor, m_end, m_tag, m_counter, m_rank, m_validation, m_check;
    Statement m_scalarTag, m_scalar, m_group, m_software; ///< prepared with the first record
};

} // namespace rankscope::store
