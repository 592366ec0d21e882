// SPDX-License-Identifier: Apache-2.0
// When the loop leaves: all ranks after the same step where the supervisor names one.
#pragma once

#include "core/telemetry/control.h"

#include <cstdint>
#include <optional>

namespace rankscope::trainer {

/// SIGTERM or SIGINT came since installStopSignals(). The handler only stores a flag: collectives are never broken off.
bool stopSignalled();
std::int64_t stopSignalledAtNs(); ///< 0: it was not
void installStopSignals();        ///< and ignores SIGPIPE, as Python does for PyTorch

/// Pure, so that it can be tested: what has been heard, and whether the step that is about to begin still runs.
struct StopRule {
    /// A signal without a step named on the control page counts after this long: the page's writer is gone.
    static constexpr std::int64_t kPatienceNs = 2'000'000'000;

    bool hasControlPage = false;

    /// `stopAtStep`: of the control page; INT64_MAX: go on.
    bool leaves(std::int64_t nextStep, std::int64_t stopAtStep, std::int64_t signalledAtNs, std::int64_t nowNs) const;
};

} // namespace rankscope::trainer
