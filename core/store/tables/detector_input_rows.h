// SPDX-License-Identifier: Apache-2.0
// Table detector_input: what the detector saw, so that a run can be diagnosed again.
#pragma once

#include "core/diagnosis/recording/recording.h"
#include "core/store/sqlite/sqlite.h"

#include <cstdint>
#include <functional>
#include <map>
#include <span>

namespace rankscope::store {

/// Schema version 3.
Result<void> addDetectorInput(const Database& db);

class InputRowWriter {
public:
    /// Groups in which an incident was open or changed come last to go, and only beyond four times `keptBytes`.
    Result<void> prepare(const Database& db, std::int64_t keptBytes);
    /// What the database has; again after a transaction that failed.
    Result<void> load(const Database& db);
    Result<void> write(std::span<const diagnosis::RecordedPiece> pieces, std::int64_t startNs);
    /// Drops the oldest groups that are too much. Never the newest.
    Result<void> thin();

private:
    struct Group {
        std::int64_t bytes = 0;
        bool incidents = false;
    };
    Result<void> drop(std::int64_t group);
    std::int64_t m_kept = 0, m_bytes = 0;
    std::map<std::int64_t, Group> m_groups;
    Statement m_insert, m_delete;
};

/// Calls `take` with each piece in order, until it fails.
Result<void> readInput(const Database& db, std::int64_t startNs,
                       const std::function<Result<void>(const diagnosis::RecordedPiece&)>& take);

} // namespace rankscope::store
