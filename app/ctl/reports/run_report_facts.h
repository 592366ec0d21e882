// SPDX-License-Identifier: Apache-2.0
// What a report says of native stacks and of the ranks' memory.
#pragma once

#include "app/ctl/reports/run_report.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>

namespace rankscope::ctl {

/// Native stacks of one incident, indented.
std::string stacksText(const RunReport& report, std::int64_t incident);
/// Native stacks that were taken: an element for each incident and rank.
nlohmann::json stacksJson(const RunReport& report);
std::string memoryText(const RunReport& report);
nlohmann::json memoryJson(const RunReport& report);

} // namespace rankscope::ctl
