// SPDX-License-Identifier: GPL-3.0-or-later
// One curve for several runs: their mean, and the range of their values.
#pragma once

#include "widgets/plots/axes/sample_reduction.h"

#include <span>

namespace rankscope::ui {

/// At each place where one of the runs has a value: the mean over the runs of their values there, the smallest and the
/// largest of them, and as `count` how many runs have one. Between two of its values a run is a straight line; before
/// its first, after its last and beside a gap it has none, so that runs which ended early do not bend the mean.
/// `notFinite` counts the runs without a finite value. At most `kMostGroupPoints` places.
Samples meanOverRuns(std::span<const Samples* const> runs);

constexpr std::size_t kMostGroupPoints = 8192;

} // namespace rankscope::ui
