// SPDX-License-Identifier: Apache-2.0
// Finds collectives that all ranks have entered but no rank leaves, and ranks that made different calls.
#pragma once

#include "core/diagnosis/model/settings.h"
#include "core/diagnosis/stalls/stall_scan.h"

#include <functional>
#include <optional>
#include <string_view>

namespace rankscope::diagnosis {

/// A rank's call with a group and sequence number.
struct CollectiveCall {
    int rank = -1;
    telemetry::CollectiveOp op = telemetry::CollectiveOp::Other;
    std::uint8_t dtype = 0;
    std::int64_t count = 0;
    std::string tag;
    telemetry::Phase phase = telemetry::Phase::None;
    std::int64_t arrivedNs = 0, step = -1;
};

/// Returns "all-reduce train.py:40 of 1 element".
std::string describe(const CollectiveCall& call);
bool isGradient(std::string_view tag);
/// Returns true for a call of which it is only known that it is an all-reduce of gradients.
bool isAnyGradient(const CollectiveCall& call);

/// Ranks that made different calls with the same group and sequence number.
struct CollectiveMismatch {
    Cause cause = Cause::MismatchedCollective; ///< or UnevenBatches: `odd` had ended their epoch or run
    std::uint32_t group = 0;
    std::uint64_t sequence = 0;
    std::vector<CollectiveCall> calls; ///< by rank
    std::vector<int> odd, others;      ///< ranks
    /// False: neither a majority nor the recipe tells which ranks are wrong.
    bool isSideKnown = true;
    /// "rank 0 all-reduce sync_max_audio_length of 1 elements, rank 1 …"; all ranks if the tags name lines.
    std::string text;
    std::string setting;      ///< key that would explain it; empty: unknown
    std::int64_t sinceNs = 0; ///< the first arrival there

    /// Makes these ranks (ascending) the odd ones.
    void setOdd(const std::vector<int>& ranks);
    /// Returns whether there are two equal halves of which it is not known which is wrong.
    bool isEven() const { return !isSideKnown && odd.size() == others.size(); }
    void swapSides() { odd.swap(others); }
    const CollectiveCall& oddCall() const;
    const CollectiveCall& otherCall() const;
};

/// Returns true if the calls match; the counts of a gather may differ, and a send matches a receive.
bool sameCall(const CollectiveCall& a, const CollectiveCall& b);

/// Returns true for a tag that names a line of the user's program: "train.py:88", "metrics:train.py:88".
bool namesALine(std::string_view tag);

/// Returns none if all calls are the same. The odd ranks are those that differ from the majority; without a majority,
/// those that do not follow the recipe, else those that differ from the lowest rank, which is not known to be right.
std::optional<CollectiveMismatch> mismatchOf(std::uint32_t group, std::uint64_t sequence,
                                             std::vector<CollectiveCall> calls, const Settings& settings);

/// Returns the calls with a number that ranks of the group have left, as far as they are known; by rank.
using PastCalls = std::function<std::vector<CollectiveCall>(std::uint32_t group, std::uint64_t sequence)>;

/// Finds calls of a group with the same number that differ, on the boards and among those that ranks have left: the
/// transport may let a rank leave whose message is shorter. Or finds ranks inside the same collective of which one has
/// continued without waiting, as only gradients allow, while another waits in a different call.
std::optional<CollectiveMismatch> findMismatch(const Observation& observation, const Settings& settings,
                                               const telemetry::ProcessGroups& groups, const PastCalls& past);

/// A collective that all ranks of its group have entered and none has left.
struct StuckCollective {
    CollectiveRef collective;
    std::int64_t sinceNs = 0; ///< the last arrival
    std::vector<int> ranks;   ///< ascending
};
std::vector<StuckCollective> findStuckCollectives(const Observation& observation,
                                                  const telemetry::ProcessGroups& groups = {});

} // namespace rankscope::diagnosis
