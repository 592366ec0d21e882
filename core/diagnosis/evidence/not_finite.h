// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/diagnosis/model/incident.h"

#include <cstdint>
#include <span>

namespace rankscope::diagnosis {

/// Returns whether a loss or gradient stays not finite, and is not so for just one step or the few that a gradient
/// scaler may skip in a row.
bool staysNotFinite(const Incident& incident);

/// Returns since which step the loss of a live run has not been finite, so that the run learns nothing any more; -1: it
/// is finite, or was so a few steps ago.
std::int64_t notFiniteSince(std::span<const Incident> incidents);

} // namespace rankscope::diagnosis
