// SPDX-License-Identifier: GPL-3.0-or-later
// What goes on in a live run, as values of its series: waits for other ranks, and the phase that a rank is in.
#pragma once

#include "core/store/tables/metrics.h"
#include "widgets/models/view/run_view.h"
#include "widgets/plots/curves/open_value_marks.h"

#include <functional>
#include <vector>

namespace rankscope::ui {

/// By rank; empty for series that have no such value. `placeOf` gives the place of a step on the x axis.
std::vector<OpenValue> openValues(store::Metric metric, const RunView& view,
                                  const std::function<double(std::int64_t step)>& placeOf);

} // namespace rankscope::ui
