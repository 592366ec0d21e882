// SPDX-License-Identifier: Apache-2.0
// Facts about the machine that a launch depends on.
#pragma once

#include "core/base/files/guarded_folder.h"

#include <cstdint>
#include <string>
#include <vector>

namespace rankscope::launch {

struct Machine;

/// Returns this host's name.
std::string hostName();
/// Returns the id of the current boot: monotonic times and process numbers are comparable only within one.
std::string bootId();
/// Returns "pid:[4026531836] time:[4026531834]": while this text is the same, so is the meaning of a process number and
/// a start time. Empty if /proc shows the processes of another namespace, or is missing.
std::string processNamespaces();

/// Returns the number of cores that this process may run on.
int usableCores();
/// Returns this machine's cores, and its NVIDIA GPUs by their device files, without loading a driver library. If
/// CUDA_VISIBLE_DEVICES is set, only the GPUs that it allows.
Machine thisMachine();

/// Returns how often the kernel has killed a process for lack of memory in this process's memory cgroup, or on the
/// whole machine if there is no cgroup. -1: unknown.
std::int64_t outOfMemoryKills();

/// Returns the last complete lines of a log, at most `lines`, without control characters. Empty if there is no log.
/// `depth`: of its folder within the run's.
std::vector<std::string> lastLogLines(const std::string& path, int lines,
                                      GuardedFolder::Depth depth = GuardedFolder::Rank);

/// Returns the name of the user with this id; empty: there is no such user here.
std::string userName(std::uint32_t number);

} // namespace rankscope::launch
