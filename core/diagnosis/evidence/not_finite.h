// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/diagnosis/model/incident.h"

#include <cstdint>
#include <span>

namespace rankscope::diagnosis {

/// Returns whether a loss or gradient stays non-finite, for longer than the few steps in a row that a gradient scaler
/// may skip.
bool staysNotFinite(const Incident& incident);

/// Returns the step since which a live run has learned nothing because its loss is not finite; -1: the loss is finite,
/// or was finite a few steps ago.
std::int64_t notFiniteSince(std::span<const Incident> incidents);

} // namespace rankscope::diagnosis
