// SPDX-License-Identifier: GPL-3.0-or-later
// A run whose spans a test can compute by itself.
#pragma once

#include "tests/widgets/synthetic_run.h"

namespace rankscope::test {

/// Each step of kStepNs: data_wait 10 ms, forward 30 ms, eight to_device of 5 us, backward 20 ms; a checkpoint of 40 us
/// in step 7 of rank 0. Rank 1 is 20 ms late at the all-reduce of every fifth step, 3 s in step 60.
RankStep timelineStep(int rank, std::int64_t step);
inline constexpr std::int64_t kLateNs = 20'000'000;
inline constexpr std::int64_t kCheckpointNs = 40'000;

} // namespace rankscope::test
