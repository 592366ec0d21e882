// SPDX-License-Identifier: Apache-2.0
// Exports the timeline in Google's Trace Event Format, which Perfetto and chrome://tracing read.
#pragma once

#include "core/exchange/export_selection.h"
#include "core/store/read/run_reader.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace rankscope::exchange {

/// Arranges bars in lanes so that they do not cross: a bar that outlasts one it overlaps goes to another lane.
class Lanes {
public:
    /// If `nested`, a bar may be inside another one; else the bars of a lane do not overlap.
    explicit Lanes(bool nested) : m_nested(nested) {}
    /// Returns the lane of a bar; call it in order of begin.
    int place(std::int64_t beginNs, std::int64_t endNs);
    int count() const { return static_cast<int>(m_open.size()); }

private:
    bool m_nested;
    std::vector<std::vector<std::int64_t>> m_open; ///< by lane: ends of the open bars, the innermost last
};

struct TraceFigures {
    std::int64_t steps = 0, phases = 0, collectives = 0, arrows = 0, incidents = 0;
};

/// Receives the number of events written so far; returns false to cancel.
using TraceWatch = std::function<bool(std::int64_t events)>;

/// Writes a process per rank with threads for steps, phases and collectives. Arrows lead from a rank that waited at
/// least kArrowNs to the rank it waited for; incidents have their own process. Times are microseconds since the run's
/// start, exact to a ns. Individual phases and collectives are written only where retention has kept them. Streamed: at
/// most one step is in memory. `watch` is called from time to time; if it returns false, the export ends with Busy and
/// leaves no file.
Result<TraceFigures> exportTrace(store::RunReader& reader, const std::filesystem::path& file,
                                 const Selection& selection = {}, const TraceWatch& watch = {});

inline constexpr std::int64_t kArrowNs = 100'000;

} // namespace rankscope::exchange
