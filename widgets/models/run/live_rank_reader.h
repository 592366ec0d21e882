// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/telemetry/board/board.h"
#include "widgets/models/view/run_view.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace rankscope::ui {

/// Reads what the ranks of a live run are doing now, from their boards and from /proc.
class LiveRankReader {
public:
    explicit LiveRankReader(launch::RunPaths run) : m_run(std::move(run)) {}

    /// Fills in the ranks of a view, their open waits and the steps per epoch; `nowNs` is monotonic. Uses the view's
    /// incidents, process groups and store lag.
    void read(RunView& view, std::int64_t nowNs);
    /// Closes the boards of a run that has ended.
    void close() { m_sources.clear(); }

private:
    struct RankSource {
        std::optional<telemetry::BoardReader> board;
        diagnosis::ProcessView process;
        bool traced = false; ///< A debugger held the process when it was last read.
    };
    static diagnosis::ProcessView processOf(const launch::RunInfo& info, int rank, RankSource& source,
                                            const std::optional<telemetry::BoardSnapshot>& board, std::int64_t nowNs);

    launch::RunPaths m_run;
    std::vector<RankSource> m_sources;
};

} // namespace rankscope::ui
