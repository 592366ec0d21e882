// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/store/open/open_store.h"
#include "core/store/waits/wait_report.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace rankscope::store {

/// Wait of one rank charged to a holder, over steps.
struct WaitCell {
    int waiter = 0, holder = 0;
    std::string tag; ///< without its :<detail>
    std::int64_t waitNs = 0, collectives = 0;
};

/// Reads who waited for whom, and explains why.
class WaitReader {
public:
    explicit WaitReader(OpenStore& store) : m_store(&store) {}

    /// Where single steps were thinned the range widens to whole groups of 16 steps.
    Result<std::vector<WaitCell>> waits(std::int64_t firstStep, std::int64_t lastStep);
    /// Of older steps single collectives and phases are kept only around incidents.
    Result<std::int64_t> singleStepsFrom();
    /// What all ranks worked through in these steps, and how long it took; steps that have ended alone.
    Result<diagnosis::Work> workDone(StepInterval steps);
    /// Streams: memory does not grow with the steps. Cut to the steps that are there. Ends with Busy soon after
    /// `cancelled` says true.
    Result<WaitReport> explainWaits(StepInterval steps, const std::function<bool()>& cancelled = {});

private:
    /// Matrix and replay, of the steps whose single collectives are there.
    Result<void> explainSingle(WaitReport& report, const std::function<bool()>& cancelled);

    OpenStore* m_store;
};

} // namespace rankscope::store
