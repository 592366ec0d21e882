// SPDX-License-Identifier: Apache-2.0
// What can be done about a cause. Remedies name the recipe's keys where they are keys.
#pragma once

#include "core/explain/verdict/findings.h"

#include <vector>

namespace rankscope::explain {

std::vector<Action> batchRemedies();
std::vector<Action> validationRemedies();
std::vector<Action> dataRemedies();
std::vector<Action> memoryRemedies();
std::vector<Action> loggingRemedies();
std::vector<Action> networkRemedies();
/// `grew`: the buffers differ between ranks; false: a rank never reached their broadcast.
std::vector<Action> bufferRemedies(bool grew);

/// Returns what to do while the hang is there, or with what is left of it.
std::vector<Action> actionsNow(const Findings& findings, const std::vector<ProbableCause>& causes);
/// Returns what to run so that the next hang leaves what this input lacks.
std::vector<Action> actionsNextTime(const Findings& findings);
/// Returns what is missing in the input to be certain.
std::vector<Message> lackingOf(const Findings& findings);

} // namespace rankscope::explain
