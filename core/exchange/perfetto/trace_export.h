// SPDX-License-Identifier: Apache-2.0
// The timeline in Google's Trace Event Format, which Perfetto and chrome://tracing read.
#pragma once

#include "core/exchange/export_selection.h"
#include "core/store/read/run_reader.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace rankscope::exchange {

/// Rows of bars that do not cross: what lasts beyond the end of another goes to another lane.
class Lanes {
public:
    /// With `nested` a bar may lie inside another one; else bars of a lane follow each other.
    explicit Lanes(bool nested) : m_nested(nested) {}
    /// The lane of a bar; bars come by their begin.
    int place(std::int64_t beginNs, std::int64_t endNs);
    int count() const { return static_cast<int>(m_open.size()); }

private:
    bool m_nested;
    std::vector<std::vector<std::int64_t>> m_open; ///< by lane: ends of what has begun, the innermost last
};

struct TraceFigures {
    std::int64_t steps = 0, phases = 0, collectives = 0, arrows = 0, incidents = 0;
};

/// Takes how many events have been written; false: no more are wanted.
using TraceWatch = std::function<bool(std::int64_t events)>;

/// A process per rank with threads for steps, phases and collectives; arrows lead from who waited at least kArrowNs to
/// whom they waited for; incidents are a process of their own. Times are microseconds since the run's start, exact to a
/// ns. Single phases and collectives are there as far as retention has kept them. Streamed: at most one step is held.
/// `watch` is told now and then; when it says false the export ends with Busy, and no file is left.
Result<TraceFigures> exportTrace(store::RunReader& reader, const std::filesystem::path& file,
                                 const Selection& selection = {}, const TraceWatch& watch = {});

inline constexpr std::int64_t kArrowNs = 100'000;

} // namespace rankscope::exchange
