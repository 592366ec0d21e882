// SPDX-License-Identifier: Apache-2.0
// The speed-up of a run compared with a one-rank run that does the same work.
#pragma once

#include "core/diagnosis/waits/scaling_model.h"
#include "core/launch/run/run_folder.h"
#include "core/store/waits/wait_report.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace rankscope::launch {

/// A run and its baseline, over steps in which both did the same work.
struct ScalingReport {
    diagnosis::Scaling scaling;
    store::StepInterval steps; ///< steps of the run that were compared
    diagnosis::WorkDone work, baselineWork;
    store::StepInterval baselineSteps;
    std::string run, baseline;        ///< ids
    std::vector<std::string> remarks; ///< facts that weaken the comparison
};

/// Compares a run with `baseline`, a run of one rank; none: the newest one of the same recipe on the same host without
/// faults, among the runs in `runsDir`. Returns NotFound, with the command that makes such a run, if there is none.
Result<ScalingReport> scalingOf(const RunPaths& run, const std::optional<RunPaths>& baseline,
                                const std::filesystem::path& runsDir);

} // namespace rankscope::launch
