// SPDX-License-Identifier: Apache-2.0
// The speed-up of a run against a run of one rank that does the same work.
#pragma once

#include "core/diagnosis/waits/scaling_model.h"
#include "core/launch/run/run_folder.h"
#include "core/store/waits/wait_report.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace rankscope::launch {

struct ScalingReport {
    diagnosis::Scaling scaling;
    store::StepInterval steps; ///< of the run: those that were looked at
    diagnosis::Work work, baselineWork;
    store::StepInterval baselineSteps;
    std::string run, baseline;        ///< ids
    std::vector<std::string> remarks; ///< what makes the comparison weaker
};

/// `baseline`: a run of one rank; none: the newest one of the same recipe on the same host that had no faults, among
/// the runs in `runsDir`. NotFound with the command that makes one when there is none.
Result<ScalingReport> scalingOf(const RunPaths& run, const std::optional<RunPaths>& baseline,
                                const std::filesystem::path& runsDir);

} // namespace rankscope::launch
