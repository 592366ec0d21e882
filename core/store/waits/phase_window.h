// SPDX-License-Identifier: Apache-2.0
// Holds the phases of a few steps at a time while collectives are streamed.
#pragma once

#include "core/diagnosis/model/active_clock.h"
#include "core/diagnosis/waits/wait_matrix.h"
#include "core/store/sqlite/sqlite.h"

#include <cstdint>
#include <span>
#include <vector>

namespace rankscope::store {

class PhaseWindow {
public:
    /// `rows` runs over (step, rank, begin_ns, end_ns, phase), ascending by step, rank, begin. `clock` converts their
    /// times to active time. The caller owns both.
    PhaseWindow(Statement& rows, int worldSize, const diagnosis::ActiveClock& clock);

    /// Moves the window to steps [step - 1, step + 1]: a holder may still be in the step before, or, if ranks are out
    /// of step, already in the next one. `step` must not decrease.
    Result<void> moveTo(std::int64_t step);
    /// Returns the phases of a rank in the window, ascending by begin, in active time.
    std::span<const diagnosis::PhaseSpan> of(int rank) const;
    /// Returns, by rank, the beginning of its first phase in the step; empty if a rank has none.
    std::vector<std::int64_t> beginsOf(std::int64_t step) const;

private:
    struct RankPhases {
        std::vector<diagnosis::PhaseSpan> spans;
        std::vector<std::int64_t> steps; ///< of each span
    };
    Result<void> fetch();

    Statement* m_rows;
    const diagnosis::ActiveClock* m_clock;
    std::vector<RankPhases> m_ranks;
    bool m_ahead = false, m_atEnd = false; ///< the cursor is on a row of a later step
};

} // namespace rankscope::store
