// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/store/read/run_reader.h"
#include "widgets/plots/axes/sample_reduction.h"

#include <vector>

namespace rankscope::ui {

/// The validation loss over the steps that it followed, the samples seen by then, or the time at which it was known.
Samples validationCurve(const std::vector<store::ValidationRow>& validations, CurveAxis axis,
                        const SampleAxis* samplesSeen = nullptr);

} // namespace rankscope::ui
