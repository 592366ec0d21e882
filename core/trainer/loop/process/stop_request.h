// SPDX-License-Identifier: Apache-2.0
// When the loop leaves: all ranks after the same step where the supervisor names one.
#pragma once

#include "core/telemetry/board/control_page.h"

#include <cstdint>
#include <string>

namespace rankscope::trainer {

/// A request to leave (core/telemetry/board/leave_request.h) came since installStopSignals(). Collectives are never
/// broken off.
bool stopSignalled();
std::int64_t stopSignalledAtNs(); ///< 0: none came
/// `led`: by a supervisor. Also ignores SIGPIPE, as Python does for PyTorch.
void installStopSignals(bool led);
/// "asked to leave by SIGTERM from process 4711 (earlyoom)"; empty where nobody asked, or only the supervisor.
std::string requestToLeaveText();

/// Pure, so that it can be tested: what has been heard, and whether the step that is about to begin still runs.
struct StopRule {
    /// A signal without a step named on the control page counts after this long: the page's writer is gone. One that is
    /// only late must not be forestalled: the others wait for ever for a rank that leaves by itself.
    static constexpr std::int64_t kPatienceNs = 10'000'000'000;

    bool hasControlPage = false;

    /// `stopAtStep`: of the control page; INT64_MAX: go on.
    bool leaves(std::int64_t nextStep, std::int64_t stopAtStep, std::int64_t signalledAtNs, std::int64_t nowNs) const;
};

} // namespace rankscope::trainer
