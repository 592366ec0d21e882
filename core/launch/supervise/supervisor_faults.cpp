// SPDX-License-Identifier: Apache-2.0
// What the supervisor has to do with faults that are asked for (rankscope.faults): to say so, and to wake who was
// stopped.
#include "core/launch/supervise/supervisor_loop.h"

#include <fmt/format.h>

namespace rankscope::launch {

/// The first note of a run that is disturbed on purpose.
Result<void> Supervisor::noteFaults() {
    if (m_info.faults.empty())
        return {};
    return m_drain->store().note(telemetry::Severity::Warning,
                                 fmt::format("Faults were asked for: {}.", fmt::join(m_info.faults, "; ")),
                                 m_info.startNs);
}

/// The `stopped` fault: the rank stops itself, and somebody else has to wake it.
void Supervisor::resumeFaults() {
    for (auto& rank : m_ranks) {
        if (rank.stoppedSinceNs() == 0)
            continue;
        int nth = 0;
        const config::FaultConfig* fault = nullptr;
        for (const auto& f : m_plan.recipe.rankscope.faults)
            if (f.kind == "stopped" && f.rank == rank.rank() && nth++ < rank.timesStopped())
                fault = &f;
        if (fault && static_cast<double>(m_nowNs - rank.stoppedSinceNs()) >= fault->seconds * 1e9)
            rank.resume();
    }
}

} // namespace rankscope::launch
