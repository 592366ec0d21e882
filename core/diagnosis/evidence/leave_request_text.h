// SPDX-License-Identifier: Apache-2.0
// Who asked a rank to leave, in words: of an incident and of a run's end.
#pragma once

#include "core/diagnosis/model/incident.h"
#include "core/diagnosis/model/observation.h"

#include <nlohmann/json.hpp>

#include <string>

namespace rankscope::diagnosis {

/// Signal and sender of the request that the rank got. Names are another program's: they are made printable.
nlohmann::json requestEvidence(const ProcessView& process);

/// "earlyoom (process 4711 of root)", "the kernel, because its CPU time is used up".
std::string senderText(const nlohmann::json& requestEvidence, Language language = Language::English);

} // namespace rankscope::diagnosis
