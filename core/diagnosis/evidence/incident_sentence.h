// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/diagnosis/model/incident.h"
#include "core/diagnosis/model/observation.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace rankscope::diagnosis {

/// One line that says who holds whom up, where, why and since when, and what to do when `withRemedy`. `nowNs` counts
/// for open incidents.
std::string sentence(const Incident& incident, std::int64_t nowNs, Language language = Language::English,
                     bool withRemedy = true);

/// What is said of an imported run in place of its incidents.
inline constexpr std::string_view kNoneImported = "Event files hold no incidents: none are known of an imported run. "
                                                  "Waits, where the files have them, are in the curves.";

/// Returns how long it has lasted, without the time for which the whole run was paused meanwhile. `nowNs` counts for
/// open incidents.
std::int64_t lastedNs(const Incident& incident, std::int64_t nowNs);

/// Returns the object that `diagnose --json` prints for one incident; times in seconds since `runStartNs`.
nlohmann::json toJson(const Incident& incident, std::int64_t runStartNs);

/// Signal and sender of the request that the rank got. Names are another program's: they are made printable.
nlohmann::json requestEvidence(const ProcessView& process);

/// "earlyoom (process 4711 of root)", "the kernel, because its CPU time is used up".
std::string senderText(const nlohmann::json& requestEvidence, Language language = Language::English);

} // namespace rankscope::diagnosis
