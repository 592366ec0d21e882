// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/store/sqlite/sqlite.h"
#include "core/store/tables/run_meta.h"
#include "core/store/waits/wait_counter.h"
#include "core/store/waits/wait_joiner.h"
#include "core/store/write/ingest_batch.h"
#include "core/telemetry/format/process_groups.h"

#include <cstdint>
#include <map>
#include <vector>

namespace rankscope::store {

/// The part of the database that the writer keeps in memory; reloaded after a failed transaction.
struct WriterState {
    Result<void> load(const Database& db, const RunMeta& meta);

    std::int64_t newestStep() const;
    /// Returns the last step of the slowest rank that has not ended.
    std::int64_t slowestStep() const;

    std::vector<RankProgress> ranks;
    telemetry::ProcessGroups groups;
    WaitJoiner joiner;
    WaitCounter counter;
    TagTable tags;
    std::int64_t firstDetailedStep = 0;
    struct KnownIncident {
        std::int64_t step = -1, lastStep = -1;
        bool open = false;
    };
    std::map<std::int64_t, KnownIncident> incidents; ///< by id

private:
    Result<void> loadRanks(const Database& db, const RunMeta& meta);
    Result<void> loadPending(const Database& db, const RunMeta& meta);
    Result<void> loadIncidents(const Database& db);
};

} // namespace rankscope::store
