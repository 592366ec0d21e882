// SPDX-License-Identifier: Apache-2.0
// Numbers as the window and the command line print them: with units, tabular, never more digits than are known.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope {

/// A language that people read; data that programs read is English.
enum class Language : std::uint8_t { English, Chinese };

/// 850 ns, 12 µs, 480 ms, 3.2 s, 4 min 12 s, 2 h 05 min; in Chinese 3.2 秒, 4 分 12 秒, 2 小时 05 分.
std::string formatDuration(std::int64_t ns, Language language = Language::English);

/// Decimal, three figures: 512 B, 3.40 kB, 1.20 GB.
std::string formatBytes(std::int64_t bytes);

/// 1,234,567.
std::string formatCount(std::int64_t n);

/// "0, 2, 3"; in Chinese "0、2、3".
std::string joinInts(const std::vector<int>& values, Language language = Language::English);
/// "rank 3", "ranks 0, 2", or "12 ranks" if there are more than eight.
std::string formatRanks(const std::vector<int>& ranks, Language language = Language::English);

/// Levenshtein distance; for "did you mean".
std::size_t editDistance(std::string_view a, std::string_view b);

/// Returns the candidate nearest to `word`, or empty if none is near.
std::string nearestWord(std::string_view word, const std::vector<std::string>& candidates);

/// FNV-1a, 64 bit: config and index hashes. Not for security.
std::uint64_t hash64(std::string_view bytes, std::uint64_t seed = 14695981039346656037ull);

} // namespace rankscope
