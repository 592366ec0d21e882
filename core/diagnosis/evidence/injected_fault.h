// SPDX-License-Identifier: Apache-2.0
// Whether the recipe asked for an incident (rankscope.faults).
#pragma once

#include "core/diagnosis/model/incident.h"

#include <cstdint>
#include <span>
#include <string>

namespace rankscope::diagnosis {

/// Returns the fault of the run that made this incident, as RunInfo::faults has it ("data_loading on rank 1 at step 60,
/// 5 s"): it acts on a holder at the incident's step, and such an incident is what a fault of its kind makes. Empty:
/// none did.
std::string injectedFault(const Incident& incident, std::span<const std::string> faults);

/// Returns the incident's remedy in words and without a full stop; of an injected fault that it was injected, and what
/// would cure a real one. Empty: no remedy is known.
std::string remedyText(const Incident& incident, std::span<const std::string> faults);

/// Returns one line as sentence() does, with that remedy.
std::string sentence(const Incident& incident, std::int64_t nowNs, std::span<const std::string> faults);

/// Returns the object of one incident that `diagnose --json` prints; times in seconds since `runStartNs`.
nlohmann::json toJson(const Incident& incident, std::int64_t runStartNs, std::span<const std::string> faults);

} // namespace rankscope::diagnosis
