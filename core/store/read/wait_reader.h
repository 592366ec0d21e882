// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/diagnosis/model/active_clock.h"
#include "core/store/open/open_store.h"
#include "core/store/waits/wait_report.h"
#include "core/telemetry/format/process_groups.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace rankscope::store {

/// How long one rank waited for another over a range of steps.
struct WaitCell {
    int waiter = 0, holder = 0;
    std::string tag; ///< without its :<detail>
    std::int64_t waitNs = 0, collectives = 0;
};

/// Reads which rank waited for which, and explains why.
class WaitReader {
public:
    explicit WaitReader(OpenStore& store) : m_store(&store) {}

    /// Returns the waits of pairs of ranks. Where single steps were thinned, the range widens to whole groups of 16
    /// steps.
    Result<std::vector<WaitCell>> waits(std::int64_t firstStep, std::int64_t lastStep);
    /// Returns the first step from which all single collectives and phases are kept; of older steps, only those around
    /// incidents are kept.
    Result<std::int64_t> singleStepsFrom();
    /// Returns how much all ranks processed in these steps, and how long it took. Only steps that have ended count.
    Result<diagnosis::WorkDone> workDone(StepInterval steps);
    /// Returns the members of the run's process groups, as far as its ranks have reported them.
    Result<telemetry::ProcessGroups> groupMembers();
    /// Returns a clock without the pauses of the whole run; its times are ns since the run's start.
    Result<diagnosis::ActiveClock> activeClock();
    /// Explains the waits of the steps that exist, in memory that does not grow with them. Returns Busy soon after
    /// `cancelled` returns true.
    Result<WaitReport> explainWaits(StepInterval steps, const std::function<bool()>& cancelled = {});

private:
    /// Fills in matrix and replay from the steps whose single collectives are kept.
    Result<void> explainSingle(WaitReport& report, const diagnosis::ActiveClock& clock,
                               const std::function<bool()>& cancelled);

    OpenStore* m_store;
};

} // namespace rankscope::store
