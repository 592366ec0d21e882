// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/explain/model/explanation.h"

#include <nlohmann/json.hpp>

namespace rankscope::explain {

/// Returns the output of `rankscopectl explain --json`.
nlohmann::json explanationJson(const Explanation& explanation);

} // namespace rankscope::explain
