// SPDX-License-Identifier: Apache-2.0
// Reads rows that another program may have written: clamps values into the range that readers compute with.
#pragma once

#include "core/base/values/result.h"
#include "core/store/sqlite/sqlite.h"
#include "core/telemetry/format/limits.h"

#include <algorithm>
#include <cstdint>
#include <optional>

namespace rankscope::store {

using telemetry::kMaxStep;
using telemetry::kMostNs;

/// A time as stored, clamped so that sums of two times cannot overflow.
inline std::int64_t timeOf(const Statement& row, int column) {
    return std::clamp(row.integer(column), -kMostNs, kMostNs);
}

/// A step as stored, or -1.
inline std::int64_t stepIn(const Statement& row, int column) {
    return std::clamp<std::int64_t>(row.integer(column), -1, kMaxStep);
}

/// A rank as stored, or -1.
inline int rankIn(const Statement& row, int column) {
    return static_cast<int>(std::clamp<std::int64_t>(row.integer(column), -1, telemetry::kMaxRanks));
}

/// A figure that is not known is negative to the program, and NULL in a row.
template <class T> std::optional<T> ifKnown(T value) {
    return value < 0 ? std::nullopt : std::optional(value);
}
inline std::int64_t knownInteger(const Statement& row, int column) {
    return row.isNull(column) ? -1 : row.integer(column);
}
inline double knownReal(const Statement& row, int column) {
    return row.isNull(column) ? -1 : row.real(column);
}

/// Calls `take(row)` for each row.
template <class F> Result<void> forEach(Statement& rows, F take) {
    for (;;) {
        RS_TRY_ASSIGN(auto row, rows.step());
        if (!row)
            return {};
        take(rows);
    }
}

/// Calls `take(row)` for each row until it returns an error.
template <class F> Result<void> tryEach(Statement& rows, F take) {
    for (;;) {
        RS_TRY_ASSIGN(auto row, rows.step());
        if (!row)
            return {};
        if (Result<void> taken = take(rows); !taken) {
            rows.reset(); // or it would hold the log open
            return taken;
        }
    }
}

} // namespace rankscope::store
