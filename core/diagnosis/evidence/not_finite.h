// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/diagnosis/model/incident.h"

#include <cstdint>
#include <span>

namespace rankscope::diagnosis {

/// Whether the incident tells of a loss or gradient that stays not finite: not of one step, or of the few that a
/// gradient scaler may skip at a time.
bool staysNotFinite(const Incident& incident);

/// Since which step the loss of a live run has not been finite; -1: it is finite, or was so a few steps ago. The run
/// learns nothing any more.
std::int64_t notFiniteSince(std::span<const Incident> incidents);

} // namespace rankscope::diagnosis
