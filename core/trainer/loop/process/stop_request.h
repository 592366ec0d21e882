// SPDX-License-Identifier: Apache-2.0
// Decides when the loop stops: all ranks after the same step if the supervisor names one, or when trainer.max_time is
// over.
#pragma once

#include "core/config/recipe/recipe.h"
#include "core/telemetry/board/control_page.h"

#include <cstdint>
#include <string>

namespace rankscope::trainer {

/// Starts to listen for requests to leave (core/telemetry/board/leave_request.h). Collectives are never interrupted.
/// `led`: by a supervisor. Also ignores SIGPIPE, as Python does for PyTorch.
void installStopSignals(bool led);
/// Returns "asked to leave by SIGTERM from process 4711 (earlyoom)"; empty if there was no request or only the
/// supervisor's.
std::string requestToLeaveText();

/// Decides from the requests received whether the next step still runs. Pure, so that it can be tested.
struct StopRule {
    /// How long after a signal the rank leaves although the control page names no step: the page's writer must be gone
    /// by then. Leaving before a writer that is only late would make the other ranks wait forever for this rank.
    static constexpr std::int64_t kPatienceNs = 10'000'000'000;

    bool hasControlPage = false;

    /// `stopAtStep`: from the control page; INT64_MAX: continue.
    bool leaves(std::int64_t nextStep, std::int64_t stopAtStep, std::int64_t signalledAtNs, std::int64_t nowNs) const;
};

/// trainer.max_time, as in Lightning's Timer: seconds of training over all parts of a resumed run. Arithmetic only.
struct TimeLimit {
    std::int64_t limitNs = 0;         ///< 0: none
    std::int64_t elapsedBeforeNs = 0; ///< in the parts before this one
    std::int64_t beganNs = 0;         ///< monotonic
    std::int64_t minSteps = 0, minEpochs = 0;

    static TimeLimit of(const config::TrainerConfig& trainer);

    bool set() const { return limitNs > 0; }
    /// Whether the run may end before step `nextStep` of epoch `epoch`, both from 0, if the time is over.
    bool mayEnd(std::int64_t nextStep, std::int64_t epoch) const { return nextStep >= minSteps && epoch >= minEpochs; }
    std::int64_t elapsedNs(std::int64_t nowNs) const { return elapsedBeforeNs + nowNs - beganNs; }
    bool over(std::int64_t nowNs) const { return set() && elapsedNs(nowNs) >= limitNs; }
};

} // namespace rankscope::trainer
