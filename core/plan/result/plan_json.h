// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/plan/result/plan.h"

#include <nlohmann/json.hpp>

namespace rankscope::plan {

/// Returns the output of `rankscopectl plan --json`.
nlohmann::json planJson(const Plan& plan);

/// Returns an object with what each trainer exchanges, by its name.
nlohmann::json collectivesJson(const std::vector<TrainerCollectives>& trainers);

} // namespace rankscope::plan
