// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/diagnosis/model/incident.h"
#include "core/diagnosis/model/settings.h"

#include <string>

namespace rankscope::diagnosis {

/// Returns what cures an incident, by its cause and evidence; a setting where one does.
Remedy remedyFor(const Incident& incident, const Settings& settings);

/// Returns what cures it, in words and without a full stop: `remedy.text`, or the same in another language. Empty: no
/// remedy is known.
std::string remedyText(const Incident& incident, Language language = Language::English);

} // namespace rankscope::diagnosis
