// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/diagnosis/model/incident.h"

#include <cstdint>
#include <string>

namespace rankscope::diagnosis {

/// Who, whom, where, why, since when, what now: one line. `nowNs` for open incidents. With remedy when `withRemedy`.
std::string sentence(const Incident& incident, std::int64_t nowNs, Language language = Language::English,
                     bool withRemedy = true);

/// The object that `diagnose --json` prints for one incident; times in seconds since `runStartNs`.
nlohmann::json toJson(const Incident& incident, std::int64_t runStartNs);

} // namespace rankscope::diagnosis
