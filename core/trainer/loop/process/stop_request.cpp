// SPDX-License-Identifier: Apache-2.0
#include "core/trainer/loop/process/stop_request.h"

#include "core/base/text/terminal_safe.h"
#include "core/telemetry/board/leave_request.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <limits>

namespace rankscope::trainer {

void installStopSignals(bool led) {
    telemetry::installLeaveSignals(led);
    // if a peer dies while Gloo writes to it, the collective must fail and not this process
    std::signal(SIGPIPE, SIG_IGN);
}

std::string requestToLeaveText() {
    const telemetry::LeaveRequest request = telemetry::leaveRequest();
    const bool byProcess = request.sender == telemetry::LeaveRequest::Sender::Process;
    if (request.signal == 0 || (byProcess && request.pid == ::getppid()))
        return {};
    const char* name = ::sigabbrev_np(request.signal);
    std::string text = fmt::format("asked to leave by SIG{}", name ? name : std::to_string(request.signal));
    if (byProcess && request.pid > 0)
        text += fmt::format(" from process {}", request.pid);
    if (const auto program = request.programName(); byProcess && !program.empty())
        text += fmt::format(" ({})", printableLine(program));
    return text;
}

bool StopRule::leaves(std::int64_t nextStep, std::int64_t stopAtStep, std::int64_t signalledAtNs,
                      std::int64_t nowNs) const {
    if (hasControlPage && stopAtStep != std::numeric_limits<std::int64_t>::max())
        return nextStep >= stopAtStep;
    if (signalledAtNs == 0)
        return false;
    return !hasControlPage || nowNs - signalledAtNs > kPatienceNs;
}

TimeLimit TimeLimit::of(const config::TrainerConfig& trainer) {
    TimeLimit limit;
    constexpr double most = static_cast<double>(std::numeric_limits<std::int64_t>::max()) / 4;
    limit.limitNs = static_cast<std::int64_t>(std::min(trainer.maxTimeSeconds * 1e9, most));
    limit.minSteps = trainer.minSteps;
    limit.minEpochs = trainer.minEpochs;
    return limit;
}

} // namespace rankscope::trainer
