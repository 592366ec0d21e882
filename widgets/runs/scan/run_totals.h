// SPDX-License-Identifier: GPL-3.0-or-later
// Figures that are added up over the runs of a chain: each was resumed from the one before.
#pragma once

#include "widgets/runs/scan/run_figures.h"

#include <cstdint>
#include <vector>

namespace rankscope::ui {

/// Returns the rank that others waited for longest, the first of several; rank -1: they waited for none.
HeldTime slowestOf(const std::vector<HeldTime>& held);

struct RunTotals {
    int runs = 0;               ///< runs that were added
    int unread = 0;             ///< those of them that have no figures
    std::int64_t lastedNs = 0;  ///< of the runs whose duration is known
    std::int64_t waitedNs = -1; ///< by all ranks in collectives; -1: known of no run
    bool waitsAreSums = false;  ///< for at least one run, an older version added up waits that overlap
    std::vector<HeldTime> held; ///< ascending by rank
    std::int64_t incidents = 0;

    /// Adds one run. `lastedNs`: its duration; negative: unknown. `figures` is null if they are not known.
    void add(std::int64_t lastedNs, const RunFigures* figures);
    friend bool operator==(const RunTotals&, const RunTotals&) = default;
};

} // namespace rankscope::ui
