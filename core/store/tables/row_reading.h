// SPDX-License-Identifier: Apache-2.0
// Reads rows that another program may have written: clamps values into the range that readers compute with.
#pragma once

#include "core/base/values/result.h"
#include "core/store/sqlite/sqlite.h"
#include "core/telemetry/format/limits.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <type_traits>

namespace rankscope::store {

using telemetry::kMaxStep;
using telemetry::kMostNs;

/// Returns a stored time, clamped so that the sum of two times cannot overflow.
inline std::int64_t timeOf(const Statement& row, int column) {
    return std::clamp(row.integer(column), -kMostNs, kMostNs);
}

/// Returns a stored step, or -1.
inline std::int64_t stepIn(const Statement& row, int column) {
    return std::clamp<std::int64_t>(row.integer(column), -1, kMaxStep);
}

/// Returns a stored rank, or -1.
inline int rankIn(const Statement& row, int column) {
    return static_cast<int>(std::clamp<std::int64_t>(row.integer(column), -1, telemetry::kMaxRanks));
}

/// Converts an unknown (negative) figure to none, which is stored as NULL.
template <class T> std::optional<T> ifKnown(T value) {
    return value < 0 ? std::nullopt : std::optional(value);
}
inline std::int64_t knownInteger(const Statement& row, int column) {
    return row.isNull(column) ? -1 : row.integer(column);
}
inline double knownReal(const Statement& row, int column) {
    return row.isNull(column) ? -1 : row.real(column);
}

/// Returns a stored enumeration value, or `otherwise` if it is out of range.
template <class E> E enumIn(const Statement& row, int column, E otherwise) {
    const std::int64_t value = row.integer(column);
    return value >= 0 && value < static_cast<std::int64_t>(E::Count) ? static_cast<E>(value) : otherwise;
}

/// Calls `take(row)` for each row; if `take` returns a Result, stops at the first error.
template <class F> Result<void> forEach(Statement& rows, F take) {
    for (;;) {
        RS_TRY_ASSIGN(auto row, rows.step());
        if (!row)
            return {};
        if constexpr (std::is_void_v<decltype(take(rows))>) {
            take(rows);
        } else if (Result<void> taken = take(rows); !taken) {
            rows.reset(); // otherwise it would keep the log open
            return taken;
        }
    }
}

} // namespace rankscope::store
