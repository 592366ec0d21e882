// SPDX-License-Identifier: Apache-2.0
// Finds whether the recipe caused an incident on purpose (rankscope.faults).
#pragma once

#include "core/base/text/message.h"
#include "core/diagnosis/model/incident.h"

#include <cstdint>
#include <span>
#include <string>

namespace rankscope::diagnosis {

/// Returns the injected fault that caused this incident, as written in RunInfo::faults ("data_loading on rank 1 at step
/// 60, 5 s"): it acts on a holder at the incident's step, and faults of its kind cause such incidents. Empty: there is
/// none.
std::string injectedFault(const Incident& incident, std::span<const std::string> faults);

/// Returns the incident's remedy in words and without a full stop; for an injected fault it says so, and what would fix
/// a real one. Empty: no remedy is known.
Message remedyText(const Incident& incident, std::span<const std::string> faults);

/// Returns the line of the other sentence(), but with this remedy.
Message sentence(const Incident& incident, std::int64_t nowNs, std::span<const std::string> faults);

/// Returns the object of one incident that `diagnose --json` prints; times in seconds since `runStartNs`.
nlohmann::json toJson(const Incident& incident, std::int64_t runStartNs, std::span<const std::string> faults);

} // namespace rankscope::diagnosis
