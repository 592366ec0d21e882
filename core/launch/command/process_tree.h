// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <string_view>
#include <vector>

namespace rankscope::launch {

/// Returns the processes that a process has started, directly or not, parents before their children. Zombies count.
std::vector<pid_t> descendantsOf(pid_t ancestor);

/// Returns the running processes of this user that were started with an environment variable, given as "NAME=value".
/// A process that has overwritten its environment is not found.
std::vector<pid_t> processesWith(std::string_view variable);

} // namespace rankscope::launch
