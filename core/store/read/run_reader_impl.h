// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/values/result.h"
#include "core/store/read/run_reader.h"
#include "core/store/read/series_cache.h"
#include "core/store/sqlite/sqlite.h"
#include "core/store/tables/pyramid.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope::store {

struct FileStamp {
    std::uint64_t inode = 0;
    std::int64_t bytes = 0, modifiedNs = 0;
    bool operator==(const FileStamp&) const = default;
};
struct Stamps {
    FileStamp store, log;
    bool operator==(const Stamps&) const = default;
};

/// Later than any time that was measured, and so that sums of two are still times.
inline constexpr std::int64_t kLatestNs = kMostNs;

struct RunReader::Impl {
    Database db;
    RunMeta meta;
    std::map<std::string, Statement, std::less<>> statements;
    std::filesystem::path file;
    bool viewing = false; ///< nobody writes to it: what is damaged in it stays so
    Stamps stamps;        ///< when it was opened
    StoreCondition condition;
    std::optional<SeriesCache> kept;

    /// A statement that is prepared once, reset and without values.
    Result<Statement*> statement(std::string_view sql);
    /// Damage of a table that is only viewed is remembered, and what was read of it counts; else the error.
    Result<void> noted(const char* table, const Error& error);
    void noteImpossible(const char* table);
};

bool isDamage(const Error& error);

/// A time as stored, and no more than a time can be.
inline std::int64_t timeOf(const Statement& row, int column) {
    return std::clamp(row.integer(column), -kLatestNs, kLatestNs);
}

/// A step as stored, or -1.
inline std::int64_t stepIn(const Statement& row, int column) {
    return std::clamp<std::int64_t>(row.integer(column), -1, kMaxStep);
}

/// A rank as stored, or -1.
inline int rankIn(const Statement& row, int column) {
    return static_cast<int>(std::clamp<std::int64_t>(row.integer(column), -1, telemetry::kMaxRanks));
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

/// As forEach; of a damaged table what is in front of the damage.
template <class F>
Result<void> eachReadable(RunReader::Impl& m, const char* table, std::string_view sql, F take,
                          const std::function<void(Statement&)>& bind = {}) {
    auto rows = m.statement(sql);
    if (!rows)
        return m.noted(table, rows.error());
    if (bind)
        bind(**rows);
    auto read = forEach(**rows, take);
    return read ? Result<void>{} : m.noted(table, read.error());
}

/// Steps [first, end) as whole buckets of one level.
struct Cover {
    int level = 0;
    std::int64_t first = 0, end = 0; ///< buckets
};
/// Covers steps [first, end) by the largest buckets up to `level` that lie inside it and end before `closedEnd`, and by
/// smaller ones at its edges, ascending. Pure.
std::vector<Cover> coverSteps(std::int64_t first, std::int64_t end, int level, std::int64_t closedEnd);

} // namespace rankscope::store
