// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/telemetry/format/records.h"

#include <cstdint>
#include <optional>
#include <string>

namespace rankscope::store {

/// What the store knows of one rank as a whole.
struct RankSummary {
    int rank = 0;
    std::string host, device;
    std::int64_t firstStep = -1, lastStep = -1; ///< -1: none yet
    std::int64_t finalStep = -1;                ///< steps up to this one no longer change; -1: none
    std::int64_t lastNs = 0;                    ///< end of the last step, since the run's start
    std::optional<double> lastLoss;             ///< of lastStep; NaN: not a number; none: not known
    bool ended = false;
    telemetry::EndCause endCause = telemetry::EndCause::Finished;
    int exitCode = 0;
    std::uint64_t weightsHash = 0;
    std::string endText;
    std::int64_t waitedNs = 0; ///< over the whole run
    std::int64_t heldNs = 0;   ///< waits of other ranks for this one
};

} // namespace rankscope::store
