// SPDX-License-Identifier: Apache-2.0
// Limits of what a run can contain. Readers treat values beyond these limits as damage, so programs that make a run
// (the supervisor, collect and import) must not store them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace rankscope::telemetry {

inline constexpr int kMaxRanks = 65536;
inline constexpr std::int64_t kMaxStep = std::int64_t{1} << 40;
/// The longest time before or after the run's start: 31 years. The sum of two still fits.
inline constexpr std::int64_t kMostNs = 1'000'000'000'000'000'000;
/// The latest time of day: in 2096.
inline constexpr std::int64_t kLatestRealtimeNs = 4 * kMostNs;
/// The highest number of a journal segment; they count from 0. A file with a higher number in its name is not a
/// segment, so additions to a valid number cannot overflow.
inline constexpr std::uint64_t kLastSegment = std::uint64_t{1} << 53;

/// Returns the largest world size that is accepted if files of `found` ranks were found; the rest may be on other
/// hosts. A file of a few bytes can claim any number of ranks, each of which would cost rows, folders and lines.
constexpr int clampRankCount(std::size_t found) {
    return static_cast<int>(std::min<std::size_t>(kMaxRanks, std::max<std::size_t>(1024, 64 * found)));
}

} // namespace rankscope::telemetry
