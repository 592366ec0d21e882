// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config/yaml/node.h"

#include <optional>

namespace rankscope::config {

/// Seconds of what Lightning's `max_time` takes: "DD:HH:MM:SS", or a map with the names of Python's timedelta (weeks,
/// days, hours, minutes, seconds, milliseconds, microseconds). None when it is neither, or not above zero.
std::optional<double> secondsOf(const Node& value);

} // namespace rankscope::config
