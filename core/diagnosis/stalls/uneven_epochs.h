// SPDX-License-Identifier: Apache-2.0
// Finds ranks whose epoch has fewer batches than that of others, from what the boards say about epochs.
#pragma once

#include "core/diagnosis/model/incident.h"
#include "core/diagnosis/model/observation.h"

#include <vector>

namespace rankscope::diagnosis {

/// Returns the ranks that have had all batches of an epoch in which others have more, ascending. Ranks that say neither
/// how many steps an epoch has nor which one it is are left out.
std::vector<int> ranksWithoutBatches(const Observation& observation);

/// Adds how many steps an epoch of the holders has, and at most one of the others, if they say so.
void addBatches(Incident& incident, const Observation& observation);

} // namespace rankscope::diagnosis
