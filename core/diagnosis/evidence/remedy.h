// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/diagnosis/model/incident.h"
#include "core/diagnosis/model/settings.h"

#include <string>

namespace rankscope::diagnosis {

/// Returns how to fix an incident, by its cause and evidence; with a setting if one fixes it.
Remedy remedyFor(const Incident& incident, const Settings& settings);

/// Returns the remedy in words and without a full stop: `remedy.text`, or the same in another language. Empty: no
/// remedy is known.
std::string remedyText(const Incident& incident, Language language = Language::English);

} // namespace rankscope::diagnosis
