// SPDX-License-Identifier: GPL-3.0-or-later
// The part of a compared curve that the runs before a resumed run measured.
#pragma once

#include "core/launch/run/run_folder.h"
#include "core/store/read/run_reader.h"
#include "widgets/runs_page/curves/compare_data.h"

#include <functional>
#include <vector>

namespace rankscope::ui {

/// Puts it in front of the run's own; over steps alone. What cannot be read of it is said in `missing`.
void prependEarlier(const launch::RunPaths& run, const std::vector<store::RankSummary>& ranks,
                    const CurveRequest& request, int maxPoints, const std::function<bool()>& cancelled, Curve& curve);

} // namespace rankscope::ui
