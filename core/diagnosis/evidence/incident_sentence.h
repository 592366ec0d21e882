// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/diagnosis/model/incident.h"
#include "core/diagnosis/model/observation.h"

#include <cstdint>
#include <string>

namespace rankscope::diagnosis {

/// One line that says who holds whom up, where, why and since when, and what to do when `withRemedy`. `nowNs` counts
/// for open incidents.
std::string sentence(const Incident& incident, std::int64_t nowNs, Language language = Language::English,
                     bool withRemedy = true);

/// Returns the object that `diagnose --json` prints for one incident; times in seconds since `runStartNs`.
nlohmann::json toJson(const Incident& incident, std::int64_t runStartNs);

/// Signal and sender of the request that the rank got. Names are another program's: they are made printable.
nlohmann::json requestEvidence(const ProcessView& process);

/// "earlyoom (process 4711 of root)", "the kernel, because its CPU time is used up".
std::string senderText(const nlohmann::json& requestEvidence, Language language = Language::English);

} // namespace rankscope::diagnosis
