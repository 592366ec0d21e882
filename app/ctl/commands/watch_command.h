// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/ctl/commands/run_argument.h"

namespace rankscope::ctl {

/// Follows a run until it ends; returns its exit code.
Result<int> watch(const RunArgs& args);

} // namespace rankscope::ctl
