// SPDX-License-Identifier: Apache-2.0
// Finds ranks whose epoch has fewer batches than that of others, from what the boards say about epochs.
#pragma once

#include "core/diagnosis/model/incident.h"
#include "core/diagnosis/model/observation.h"
#include "core/diagnosis/stalls/stuck_collective.h"

#include <vector>

namespace rankscope::diagnosis {

/// Returns the ranks that have had all batches of an epoch of which others are in a later step, ascending. Ranks that
/// say neither how many steps an epoch has nor which one it is are left out.
std::vector<int> ranksWithoutBatches(const Observation& observation);
/// Returns those of the ranks that made these calls. If there are none, returns the ranks that validate, if they may
/// have had all batches and the others are in a later step of the same epoch.
std::vector<int> ranksWithoutBatches(const Observation& observation, const std::vector<CollectiveCall>& calls);

/// Adds how many steps an epoch of the holders has, and at most one of the others, if they say so.
void addBatches(Incident& incident, const Observation& observation);

} // namespace rankscope::diagnosis
