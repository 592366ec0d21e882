// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config/schema/key_schema.h"

#include <optional>
#include <string>

namespace rankscope::config {

/// Checks one value against the spec of its key. Returns what is wrong with it; nothing if it is fine.
std::optional<std::string> checkValue(const KeySpec& spec, const Node& value);

} // namespace rankscope::config
