// SPDX-License-Identifier: Apache-2.0
// When the loop leaves: all ranks after the same step where the supervisor names one, or when trainer.max_time is over.
#pragma once

#include "core/config/recipe/recipe.h"
#include "core/telemetry/board/control_page.h"

#include <cstdint>
#include <string>

namespace rankscope::trainer {

/// From here on requests to leave are heard (core/telemetry/board/leave_request.h). Collectives are never broken off.
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

/// trainer.max_time, as Lightning's Timer: seconds of training over all the parts of a resumed run. Arithmetic only.
struct TimeLimit {
    std::int64_t limitNs = 0;         ///< 0: none
    std::int64_t elapsedBeforeNs = 0; ///< in the parts before this one
    std::int64_t beganNs = 0;         ///< monotonic
    std::int64_t minSteps = 0, minEpochs = 0;

    static TimeLimit of(const config::TrainerConfig& trainer);

    bool set() const { return limitNs > 0; }
    /// The run may end before step `nextStep` of epoch `epoch`, both from 0, if the time is over.
    bool mayEnd(std::int64_t nextStep, std::int64_t epoch) const { return nextStep >= minSteps && epoch >= minEpochs; }
    std::int64_t elapsedNs(std::int64_t nowNs) const { return elapsedBeforeNs + nowNs - beganNs; }
    bool over(std::int64_t nowNs) const { return set() && elapsedNs(nowNs) >= limitNs; }
};

} // namespace rankscope::trainer
