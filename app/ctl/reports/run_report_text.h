// SPDX-License-Identifier: Apache-2.0
// What show, launch and diagnose print of a run.
#pragma once

#include "app/ctl/reports/run_report.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>

namespace rankscope::ctl {

/// "store    ends 12.3 s ago: …", for a store that is behind; else empty.
std::string lagLine(const RunReport& report);
nlohmann::json lagJson(const RunReport& report); ///< null: it is not behind

std::string headerText(const RunReport& report);
std::string ranksText(const RunReport& report);
std::string incidentsText(const RunReport& report, bool evidence);
std::string checksText(const RunReport& report);
std::string countersText(const RunReport& report);
nlohmann::json reportJson(const RunReport& report);
nlohmann::json incidentsJson(const RunReport& report);

/// Native stacks of one incident, indented.
std::string stacksText(const RunReport& report, std::int64_t incident);
/// Native stacks that were taken: an element for each incident and rank.
nlohmann::json stacksJson(const RunReport& report);
std::string memoryText(const RunReport& report);
nlohmann::json memoryJson(const RunReport& report);

/// "failed: rank 1 ended with SIGKILL at step 10"; "finished" alone, whose cause says no more.
std::string endText(const launch::RunInfo& info);
/// JSON for stdout; bytes of foreign logs that are no UTF-8 are replaced.
std::string dumped(const nlohmann::json& json);

} // namespace rankscope::ctl
