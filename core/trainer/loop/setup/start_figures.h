// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/trainer/checks/rank_figures.h"
#include "core/trainer/loop/setup/rank.h"

#include <string>

namespace rankscope::trainer {

/// What acts on this rank, taken from what was built and not from what was asked for.
RankFigures figuresOf(const Rank& rank);

/// "effective_values": where what was asked for does not act on this rank.
CheckResult checkEffectiveValues(const Rank& rank);

Layout layoutOf(const Rank& rank);

} // namespace rankscope::trainer
