// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/diagnosis/model/active_clock.h"
#include "core/diagnosis/model/incident.h"
#include "core/store/sqlite/sqlite.h"

#include <cstdint>
#include <vector>

namespace rankscope::store {

class IncidentWriter {
public:
    Result<void> prepare(const Database& db);
    /// `lastStep`: the newest step of the run while the incident is open or when it closed.
    Result<void> write(std::int64_t id, const diagnosis::Incident& incident, std::int64_t lastStep,
                       std::int64_t startNs);

private:
    Statement m_upsert;
};

/// Appends all incidents in order of their ids, with times converted back to monotonic; from a damaged table, those
/// before the damage. Rows that this program cannot have written are left out, and `impossible` is set.
Result<void> readIncidents(const Database& db, std::int64_t startNs, std::vector<diagnosis::Incident>& incidents,
                           bool& impossible);

/// Returns a clock without the pauses of the whole run that have ended. Its times are ns since the run's start.
Result<diagnosis::ActiveClock> readPauses(const Database& db);

} // namespace rankscope::store
