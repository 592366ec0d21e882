// SPDX-License-Identifier: Apache-2.0
// Formats the output of `waits`.
#pragma once

#include "core/store/waits/wait_report.h"

#include <nlohmann/json.hpp>

#include <string>

namespace rankscope::ctl {

/// Returns sentences, matrix, lengths and predictions.
std::string waitsText(const store::WaitReport& report);
/// Returns the same as JSON, with times in ns.
nlohmann::json waitsJson(const store::WaitReport& report);

} // namespace rankscope::ctl
