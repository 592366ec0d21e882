// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/plan/result/planned_collective.h"

#include <string>
#include <vector>

namespace rankscope::ctl {

/// Returns a table for each trainer: what its ranks exchange in a step, with elements and bytes, and below it how the
/// elements of a call add up.
std::string collectivesText(const std::vector<plan::TrainerCollectives>& trainers);

} // namespace rankscope::ctl
