// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/store/pyramid.h"
#include "core/store/run_reader.h"
#include "core/store/sqlite.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope::store {

struct RunReader::Impl {
    Database db;
    RunMeta meta;
    std::map<std::string, Statement, std::less<>> statements;

    /// A statement that is prepared once, reset and without values.
    Result<Statement*> statement(std::string_view sql);
};

/// Calls `take(row)` for each row.
template <class F> Result<void> forEach(Statement& rows, F take) {
    for (;;) {
        auto row = rows.step();
        if (!row)
            return tl::unexpected(row.error());
        if (!*row)
            return {};
        take(rows);
    }
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
