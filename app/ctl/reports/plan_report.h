// SPDX-License-Identifier: Apache-2.0
// A plan as a terminal shows it.
#pragma once

#include "core/plan/result/plan.h"

#include <string>

namespace rankscope::ctl {

std::string planText(const plan::Plan& plan);

} // namespace rankscope::ctl
