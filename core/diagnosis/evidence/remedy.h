// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/diagnosis/detector/detector.h"

namespace rankscope::diagnosis {

/// What cures an incident, from its cause and evidence; a setting where one does.
Remedy remedyFor(const Incident& incident, const Settings& settings);

} // namespace rankscope::diagnosis
