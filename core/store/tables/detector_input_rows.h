// SPDX-License-Identifier: Apache-2.0
// Table detector_input: the recorded input of the detector, so that a run can be diagnosed again.
#pragma once

#include "core/diagnosis/recording/recording.h"
#include "core/store/sqlite/sqlite.h"

#include <cstdint>
#include <functional>
#include <map>
#include <span>

namespace rankscope::store {

/// Creates the table (schema version 3).
Result<void> addDetectorInput(const Database& db);

class InputRowWriter {
public:
    /// Groups in which an incident was open or changed are dropped last, and only beyond four times `keptBytes`.
    Result<void> prepare(const Database& db, std::int64_t keptBytes);
    /// Loads the groups that the database has. Call it again after a failed transaction.
    Result<void> load(const Database& db);
    Result<void> write(std::span<const diagnosis::RecordingChunk> pieces, std::int64_t startNs);
    /// Drops the oldest groups until the limit is met; never the newest one.
    Result<void> thin();

private:
    struct InputGroup {
        std::int64_t bytes = 0;
        bool incidents = false;
    };
    Result<void> drop(std::int64_t group);
    std::int64_t m_kept = 0, m_bytes = 0;
    std::map<std::int64_t, InputGroup> m_groups;
    Statement m_insert, m_delete;
};

/// Calls `take` with each piece in order, until it fails.
Result<void> readInput(const Database& db, std::int64_t startNs,
                       const std::function<Result<void>(const diagnosis::RecordingChunk&)>& take);

} // namespace rankscope::store
