// SPDX-License-Identifier: GPL-3.0-or-later
// Which steps, or which time, an incident covers: the same for plots, strip and marks.
#pragma once

#include "widgets/models/view/run_view.h"
#include "widgets/plots/axes/plot_range.h"
#include "widgets/plots/curves/run_step_clock.h"

namespace rankscope::ui {

/// Whole steps as [first - 0.5, last + 0.5]. An open one reaches to the newest step of all ranks.
PlotRange stepsOfIncident(const diagnosis::Incident& incident, const RunView& view, const RunClock& clock);

/// ns since the run's start. An open one reaches to now, or as far as the store is known to go.
PlotRange timeOfIncident(const diagnosis::Incident& incident, const RunView& view);

} // namespace rankscope::ui
