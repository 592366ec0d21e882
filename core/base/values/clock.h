// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace rankscope {

/// Returns CLOCK_MONOTONIC in ns: the clock of every timestamp that Rankscope stores; one per host, never steps.
std::int64_t monotonicNs();

/// Returns CLOCK_REALTIME in ns since 1970; only for anchors, names and file dates.
std::int64_t realtimeNs();

} // namespace rankscope
