// SPDX-License-Identifier: Apache-2.0
// The text that show, launch and diagnose print about a run, in the language of standard output.
#pragma once

#include "app/ctl/reports/run_report.h"

#include <cstdint>
#include <string>

namespace rankscope::ctl {

/// Returns "store    ends 12.3 s ago: …" for a store that is behind; else an empty text.
std::string lagLine(const RunReport& report);
std::string headerText(const RunReport& report);
std::string ranksText(const RunReport& report);
std::string incidentsText(const RunReport& report, bool evidence);
std::string checksText(const RunReport& report);
std::string countersText(const RunReport& report);
std::string memoryText(const RunReport& report);
/// Returns the native stacks of one incident, indented.
std::string stacksText(const RunReport& report, std::int64_t incident);
/// Returns the run's end, such as "failed: rank 1 ended with SIGKILL at step 10"; just "finished" for a finished run,
/// whose cause adds nothing.
Message endText(const launch::RunInfo& info);

/// Returns what two runs achieved, whatever trained them, as a table with a column for each. A figure that one of them
/// lacks is a dash.
std::string figuresText(const RunReport& mine, const RunReport& other);

} // namespace rankscope::ctl
