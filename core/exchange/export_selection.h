// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/store/read/run_reader.h"
#include "core/store/report/csv_export.h"

#include <algorithm>

namespace rankscope::exchange {

/// Selects the parts of a run to export; by default, everything.
using Selection = store::CsvOptions;

inline bool selects(const Selection& selection, int rank) {
    return selection.ranks.empty() || std::ranges::find(selection.ranks, rank) != selection.ranks.end();
}

inline bool selects(const Selection& selection, store::Metric metric) {
    return selection.series.empty() || std::ranges::find(selection.series, metric) != selection.series.end();
}

} // namespace rankscope::exchange
