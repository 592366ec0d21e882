// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/text/message.h"
#include "core/diagnosis/model/incident.h"

namespace rankscope::diagnosis {

/// Returns how to fix an incident of a program that was not started from a recipe, in the words of PyTorch and without
/// a full stop. Empty: its remedy is the one of a run with a recipe.
Message programRemedy(const Incident& incident);

/// Returns what to do if loader workers do not get enough processor time.
Message forWorkersWithoutCpu();

/// Returns whether the rank has read one sample for most of its wait: more workers would not read it faster.
bool isOneSlowSample(const Incident& incident);

} // namespace rankscope::diagnosis
