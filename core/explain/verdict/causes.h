// SPDX-License-Identifier: Apache-2.0
// Causes that fit what was concluded, in order of likelihood, each with the evidence for it and what can be done.
#pragma once

#include "core/explain/verdict/findings.h"

#include <vector>

namespace rankscope::explain {

/// Returns the causes, most likely first. The first one has the evidence for the verdict; the others say why they are
/// possible too. Empty: the input says nothing.
std::vector<ProbableCause> causesOf(const Findings& findings);

} // namespace rankscope::explain
