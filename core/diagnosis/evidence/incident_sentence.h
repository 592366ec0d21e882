// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/text/message.h"
#include "core/diagnosis/model/incident.h"

#include <cstdint>

namespace rankscope::diagnosis {

/// Returns one line that says which rank holds up which, where, why and since when, and with `withRemedy` also what to
/// do. `nowNs` is used for open incidents.
Message sentence(const Incident& incident, std::int64_t nowNs, bool withRemedy = true);

/// The text that an imported run shows instead of incidents.
Message noneImported();

/// Returns how long the incident has lasted, without pauses of the whole run in that time. `nowNs` is used for open
/// incidents.
std::int64_t lastedNs(const Incident& incident, std::int64_t nowNs);

/// Returns the object that `diagnose --json` prints for one incident; times in seconds since `runStartNs`.
nlohmann::json toJson(const Incident& incident, std::int64_t runStartNs);

} // namespace rankscope::diagnosis
