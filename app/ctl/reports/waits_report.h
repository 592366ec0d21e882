// SPDX-License-Identifier: Apache-2.0
// What `waits` prints.
#pragma once

#include "core/store/waits/wait_report.h"

#include <nlohmann/json.hpp>

#include <string>

namespace rankscope::ctl {

/// Sentences, matrix, lengths and predictions.
std::string waitsText(const store::WaitReport& report);
/// Times in ns.
nlohmann::json waitsJson(const store::WaitReport& report);

} // namespace rankscope::ctl
