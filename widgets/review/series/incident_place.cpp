// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/review/series/incident_place.h"

#include <algorithm>
#include <cmath>

namespace rankscope::ui {

PlotRange timeOfIncident(const diagnosis::Incident& in, const RunView& view) {
    const bool open = in.closed == diagnosis::CloseReason::Open;
    const auto from = static_cast<double>(in.openedNs - view.info.startNs);
    const auto to = static_cast<double>((open ? view.knownNs : in.closedNs) - view.info.startNs);
    return {from, std::max(from, to)};
}

PlotRange stepsOfIncident(const diagnosis::Incident& in, const RunView& view, const StepTimeMap& clock) {
    constexpr double kAlmost = 1e-6;
    const auto seen = static_cast<double>(in.step);
    if (diagnosis::isOfOneStep(in))
        return {seen - 0.5, seen + 0.5};
    const PlotRange time = timeOfIncident(in, view);
    const auto from = static_cast<std::int64_t>(time.lo), to = static_cast<std::int64_t>(time.hi);
    // a start at a step's end belongs to the next step, an end at a step's start to the previous one
    double first = std::floor(clock.stepAt(from) + 0.5 + kAlmost);
    double last = std::max(first, std::ceil(clock.stepAt(to) - 0.5 - kAlmost));
    const bool fromIsExact = clock.isExactAt(from), toIsExact = clock.isExactAt(to);
    if (in.cause == diagnosis::Cause::Paused && in.step >= 0) {
        // its step was read when the ranks had continued; its times are those of the pause itself
        last = toIsExact ? last : seen;
        first = std::min(fromIsExact ? first : seen, last);
    } else if (in.step >= 0) { // the step in which it was seen is certain; the times of merged steps are not
        first = in.straggler || fromIsExact ? std::min(first, seen) : seen;
        last = in.straggler || toIsExact ? std::max(last, seen) : seen;
        if (in.evidence.holdUps.value_or(1) > 1)
            last = seen; // the newest step that was held up
    }
    return {first - 0.5, last + 0.5};
}

} // namespace rankscope::ui
