// SPDX-License-Identifier: GPL-3.0-or-later
// Where an incident is in the plots: the time that it lasted, and the steps that it held up.
#pragma once

#include "widgets/plots/axes/plot_range.h"
#include "widgets/plots/curves/step_time_map.h"

namespace rankscope::ui {

/// Returns an incident's time in ns since the run's start. An open one reaches to now, or to the newest time known from
/// the store.
PlotRange timeOfIncident(const diagnosis::Incident& incident, const RunView& view);

/// Returns an incident's whole steps as [first - 0.5, last + 0.5]. An open one reaches to the newest step of all ranks.
PlotRange stepsOfIncident(const diagnosis::Incident& incident, const RunView& view, const StepTimeMap& clock);

} // namespace rankscope::ui
