// SPDX-License-Identifier: GPL-3.0-or-later
// A run whose spans a test can compute.
#pragma once

#include "tests/widgets/synthetic_run.h"

namespace rankscope::test {

/// Describes a step of kStepNs: data_wait 10 ms, forward 30 ms, eight to_device of 5 µs, backward 20 ms; in step 7,
/// rank 0 also writes a checkpoint for 40 µs. Rank 1 is 20 ms late at the all-reduce of every fifth step, and 3 s in
/// step 60.
RankStep timelineStep(int rank, std::int64_t step);
inline constexpr std::int64_t kLateNs = 20'000'000;
inline constexpr std::int64_t kCheckpointNs = 40'000;

} // namespace rankscope::test
