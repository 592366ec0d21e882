// SPDX-License-Identifier: Apache-2.0
// Compares what two runs achieved, whatever trained them: loss, speed, waits and memory.
#pragma once

#include "app/ctl/reports/run_report.h"

#include <nlohmann/json.hpp>

#include <string>

namespace rankscope::ctl {

/// Returns a table with a column for each run. A figure that one of them lacks is a dash.
std::string figuresText(const RunReport& mine, const RunReport& other);
/// Returns {"mine": figures, "other": figures}; a figure that is not known is null.
nlohmann::json figuresJson(const RunReport& mine, const RunReport& other);

} // namespace rankscope::ctl
