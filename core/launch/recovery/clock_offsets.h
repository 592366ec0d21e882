// SPDX-License-Identifier: Apache-2.0
// What has to be added to a host's monotonic times to have them on rank 0's clock. Pure.
#pragma once

#include "core/telemetry/format/records.h"

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace rankscope::launch {

/// What of a rank's records tells about its clock.
struct ClockEvidence {
    int rank = 0;
    std::string host;
    std::int64_t monotonicNs = 0, realtimeNs = 0; ///< its anchor
    struct Span {
        std::int64_t arrivedNs = 0, doneNs = 0;
    };
    /// By group and sequence number: collectives that no rank leaves before all have entered.
    std::map<std::pair<std::uint32_t, std::uint64_t>, Span> collectives;
};

/// Whether no rank is done with it before the last has arrived.
bool synchronises(telemetry::CollectiveOp op);

/// One offset a rank; the first one's is 0. Ranks on one host share a clock. Between hosts the wall clocks only begin
/// it: nobody is done with a collective before the last has arrived, which bounds the offset from both sides, to about
/// the time of the quickest collective. The middle of these bounds is taken.
std::vector<std::int64_t> clockOffsets(std::span<const ClockEvidence> ranks);

} // namespace rankscope::launch
