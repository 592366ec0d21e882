// SPDX-License-Identifier: Apache-2.0
// Facts about the machine that a launch depends on.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace rankscope::launch {

struct Machine;

std::string hostName();
std::string bootId(); ///< changes at every boot: monotonic times and pids do not outlive it
/// "pid:[4026531836] time:[4026531834]": a process number and a start time mean the same where this is the same. Empty
/// where /proc shows the processes of another namespace, or is not there.
std::string processNamespaces();

/// Cores that this process may run on.
int usableCores();
/// Its cores, and its NVIDIA GPUs by their device files, without loading a driver library: those that
/// CUDA_VISIBLE_DEVICES leaves where it is set.
Machine thisMachine();

/// How often the kernel has killed something for memory in this process's memory cgroup; on a machine without one, on
/// the whole machine. -1: not known.
std::int64_t outOfMemoryKills();

/// The last complete lines of a log, at most `lines`, with control characters taken out. Empty when there is none.
std::vector<std::string> lastLogLines(const std::string& path, int lines);

/// Empty: nobody has this number here.
std::string userName(std::uint32_t number);

} // namespace rankscope::launch
