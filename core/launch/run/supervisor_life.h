// SPDX-License-Identifier: Apache-2.0
// Whether the supervisor of a run lives. It is decided here and nowhere else.
#pragma once

#include "core/launch/run/run_info.h"

#include <string>

namespace rankscope::launch {

/// The process numbers and start times in run.json mean here what they mean to the run: same boot, same namespaces.
bool seesProcesses(const RunInfo& info);

/// Of a run whose recorded state is live. A process that is found by number and start time is the supervisor. Where it
/// is not found, or its number means nothing here, the lock decides: the kernel lets go of it with the last of its
/// holder.
SupervisorLife supervisorLife(const RunPaths& run, const RunInfo& info);

/// What is to be said of a live run beside its state; empty when its supervisor is at work.
std::string supervisorRemark(const RunInfo& info);

/// Why a run that is live cannot be reached from here: "runs on host node7".
std::string whereItRuns(const RunInfo& info);

} // namespace rankscope::launch
