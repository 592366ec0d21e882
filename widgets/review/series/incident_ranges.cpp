// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/review/series/incident_ranges.h"

#include <algorithm>
#include <cmath>

namespace rankscope::ui {

PlotRange timeOfIncident(const diagnosis::Incident& in, const RunView& view) {
    const bool open = in.closed == diagnosis::CloseReason::Open;
    const auto from = static_cast<double>(in.openedNs - view.info.startNs);
    const auto to = static_cast<double>((open ? view.knownNs : in.closedNs) - view.info.startNs);
    return {from, std::max(from, to)};
}

PlotRange stepsOfIncident(const diagnosis::Incident& in, const RunView& view, const RunClock& clock) {
    constexpr double kAlmost = 1e-6;
    const PlotRange time = timeOfIncident(in, view);
    const auto from = static_cast<std::int64_t>(time.lo), to = static_cast<std::int64_t>(time.hi);
    // what begins where a step ends belongs to the next one, what ends where a step begins to the one before
    double first = std::floor(clock.stepAt(from) + 0.5 + kAlmost);
    double last = std::max(first, std::ceil(clock.stepAt(to) - 0.5 - kAlmost));
    if (in.step >= 0) { // the step that it was seen in is certain; the times of many steps together are not
        const auto seen = static_cast<double>(in.step);
        first = in.straggler || clock.isExactAt(from) ? std::min(first, seen) : seen;
        last = in.straggler || clock.isExactAt(to) ? std::max(last, seen) : seen;
    }
    return {first - 0.5, last + 0.5};
}

} // namespace rankscope::ui
