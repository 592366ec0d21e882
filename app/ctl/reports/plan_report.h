// SPDX-License-Identifier: Apache-2.0
// Formats a plan for a terminal.
#pragma once

#include "core/plan/result/plan.h"

#include <string>

namespace rankscope::ctl {

std::string planText(const plan::Plan& plan);

} // namespace rankscope::ctl
