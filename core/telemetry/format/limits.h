// SPDX-License-Identifier: Apache-2.0
// What a run can hold. Readers take what is beyond these figures for damage; so nothing that makes a run, neither a
// supervisor nor collect or import, may store it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace rankscope::telemetry {

inline constexpr int kMaxRanks = 65536;
inline constexpr std::int64_t kMaxStep = std::int64_t{1} << 40;
/// A time further from the run's start, before it or behind it: 31 years. Sums of two still fit.
inline constexpr std::int64_t kMostNs = 1'000'000'000'000'000'000;
/// The latest time of day: in 2096.
inline constexpr std::int64_t kLatestRealtimeNs = 4 * kMostNs;
/// Journal segments are counted from 0. A number beyond this one is a file's name and no segment: what is added to a
/// number that passes cannot overflow.
inline constexpr std::uint64_t kLastSegment = std::uint64_t{1} << 53;

/// A file of some bytes can claim to be of any number of ranks, each of which would cost rows, folders and lines. The
/// most that is believed where files of `found` ranks were found: a run on many hosts of which one is at hand.
constexpr int mostRanksWith(std::size_t found) {
    return static_cast<int>(std::min<std::size_t>(kMaxRanks, std::max<std::size_t>(1024, 64 * found)));
}

} // namespace rankscope::telemetry
