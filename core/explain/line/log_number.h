// SPDX-License-Identifier: Apache-2.0
// Numbers of a log. Other programs wrote them, so each is checked for its range.
#pragma once

#include "core/explain/model/hang_evidence.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope::explain {

inline constexpr int kHighestRank = 65'535;

/// Returns none for a text that is not a whole number or does not fit.
std::optional<std::int64_t> logNumber(std::string_view text);
/// Returns none for a negative number too.
std::optional<std::int64_t> logCount(std::string_view text);
/// Returns none for a number that no rank has.
std::optional<int> logRank(std::string_view text);
/// Returns none for a number of ranks that no run has.
std::optional<int> logWorldSize(std::string_view text);
/// Reads "0, 2, 5-7"; numbers that no rank has are dropped, and further ones than 4,096.
std::vector<int> logRanks(std::string_view text);

/// Returns the operation that a text names: "ALLREDUCE", "_ALLGATHER_BASE", "nccl:all_reduce".
CollectiveOp collectiveOp(std::string_view written);

/// Returns text of a log as one line that is safe to print, of at most `most` bytes.
std::string shownText(std::string_view text, std::size_t most = 300);

} // namespace rankscope::explain
