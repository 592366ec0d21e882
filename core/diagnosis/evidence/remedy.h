// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/diagnosis/model/incident.h"
#include "core/diagnosis/model/settings.h"

namespace rankscope::diagnosis {

/// Returns how to fix an incident, by its cause and evidence; with a setting if one fixes it.
Remedy remedyFor(const Incident& incident, const Settings& settings);

/// Returns the remedy in words and without a full stop. That of a stored incident is found again from its evidence, so
/// that it can be said in other languages; if that gives other words, the stored ones count. Empty: no remedy is known.
Message remedyText(const Incident& incident);

} // namespace rankscope::diagnosis
