// SPDX-License-Identifier: GPL-3.0-or-later
// Which step numbers the axis shows: at regular intervals of 1, 2 or 5 times a power of ten. Pure.
#pragma once

#include "core/store/read/run_reader.h"
#include "widgets/timeline/geometry/timeline_geometry.h"

#include <cstdint>
#include <span>
#include <vector>

namespace rankscope::ui {

struct StepMark {
    std::int64_t step = 0;
    double x = 0; ///< where it begins
};

/// Of the steps in view, multiples of one interval, at least `apartPx` apart where steps take as long as most of them
/// do; one that would touch the mark before it is left out. When no multiple is in view: the first step there.
std::vector<StepMark> stepMarks(std::span<const store::SeriesPoint> steps, const TimeScale& scale, double apartPx);

} // namespace rankscope::ui
