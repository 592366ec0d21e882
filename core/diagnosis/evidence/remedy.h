// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/diagnosis/model/incident.h"
#include "core/diagnosis/model/settings.h"

namespace rankscope::diagnosis {

/// Returns how to fix an incident, by its cause and evidence; with a setting if one fixes it.
Remedy remedyFor(const Incident& incident, const Settings& settings);

/// Returns the remedy in words and without a full stop. For a stored incident, it is found again from the evidence, so
/// that it can be translated; if the result differs from the stored text, returns the stored text. Empty: no remedy is
/// known.
Message remedyText(const Incident& incident);

} // namespace rankscope::diagnosis
