// SPDX-License-Identifier: Apache-2.0
// The JSON that show, launch and diagnose print about a run (docs/json.md).
#pragma once

#include "app/ctl/reports/run_report.h"

#include <nlohmann/json.hpp>

#include <string>

namespace rankscope::ctl {

nlohmann::json lagJson(const RunReport& report); ///< null: the store is not behind
nlohmann::json reportJson(const RunReport& report);
nlohmann::json incidentsJson(const RunReport& report);
/// Returns the native stacks, one element for each incident and rank.
nlohmann::json stacksJson(const RunReport& report);
nlohmann::json memoryJson(const RunReport& report);
/// Returns JSON for stdout; invalid UTF-8 from foreign logs is replaced.
std::string dumped(const nlohmann::json& json);

/// Returns {"mine": figures, "other": figures}: what two runs achieved. A figure that is not known is null.
nlohmann::json figuresJson(const RunReport& mine, const RunReport& other);

} // namespace rankscope::ctl
