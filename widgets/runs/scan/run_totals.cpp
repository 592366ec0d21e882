// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/runs/scan/run_totals.h"

#include <algorithm>

namespace rankscope::ui {

HeldTime slowestOf(const std::vector<HeldTime>& held) {
    const auto most = std::ranges::max_element(held, {}, &HeldTime::ns); // the first of equal ones
    return most == held.end() ? HeldTime() : *most;
}

void RunTotals::add(std::int64_t lasted, const RunFigures* figures) {
    ++runs;
    lastedNs += std::max<std::int64_t>(0, lasted);
    if (!figures) {
        ++unread;
        return;
    }
    incidents += figures->incidents;
    waitsAreSums = waitsAreSums || figures->waitsAreSums;
    if (figures->waitedNs >= 0)
        waitedNs = std::max<std::int64_t>(0, waitedNs) + figures->waitedNs;
    for (const HeldTime& one : figures->held) {
        const auto at = std::ranges::lower_bound(held, one.rank, {}, &HeldTime::rank);
        if (at != held.end() && at->rank == one.rank)
            at->ns += one.ns;
        else
            held.insert(at, one);
    }
}

} // namespace rankscope::ui
