// SPDX-License-Identifier: Apache-2.0
// The writer's state; run_store_state.cpp opens and loads it, run_store.cpp changes it.
#pragma once

#include "core/base/files/file.h"
#include "core/store/tables/incident_rows.h"
#include "core/store/tables/detector_input_rows.h"
#include "core/store/tables/pyramid.h"
#include "core/store/write/retention.h"
#include "core/store/write/batch_rows.h"
#include "core/store/write/run_writer.h"

#include <sys/types.h>

#include <functional>
#include <map>

namespace rankscope::store {

struct RunStore::Impl {
    std::filesystem::path file;
    UniqueFd folder; ///< also when it is renamed
    dev_t device = 0;
    ino_t inode = 0;
    Database db;
    RunMeta meta;
    Retention retention;
    RoundWriter rows;
    PyramidWriter pyramid;
    Thinner thinner;
    IncidentWriter incidents;
    InputRowWriter inputs;
    bool opened = false; ///< it is this object's to release

    // what the database says, kept in memory; read again after a transaction that failed
    bool stale = true;
    std::vector<RankState> ranks;
    WaitJoiner joiner;
    TagTable tags;
    std::int64_t thinnedTo = 0;
    struct KnownIncident {
        std::int64_t step = -1, lastStep = -1;
        bool open = false;
    };
    std::map<std::int64_t, KnownIncident> known;
    std::int64_t incidentBase = 0; ///< ids of an earlier writer's incidents are not used again

    std::map<int, telemetry::JournalCounters> seen; ///< of the ranks' readers, at the last commit

    std::int64_t paceLookNs = 0, paceLookRows = 0;

    /// Of a store that was removed alone: SQLite would take its log for that of the next one with this name.
    static void removeCompanions(const std::filesystem::path& file);
    ~Impl();
    Result<void> openFile(bool create);
    void rememberPlace();
    Result<void> claim();
    Result<void> begin(const RunMeta* wanted);
    Result<void> load();
    Result<void> loadRanks();
    Result<void> loadPending();
    Result<void> loadIncidents();
    Result<void> inTransaction(const std::function<Result<void>()>& work);

    void ingest(Round& round, std::span<const Chunk> chunks);
    Result<void> writePositions(std::span<const Chunk> chunks);
    Result<void> writeIncidents(std::span<const diagnosis::Transition> transitions);
    Result<void> carry(const Round& round, bool all);
    Result<void> thin(std::int64_t newSteps);
    void keepPace();
    std::int64_t newestStep() const;
    std::int64_t slowestStep() const;
    bool committed(const Chunk& chunk) const;
};

} // namespace rankscope::store
