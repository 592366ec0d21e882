// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config/schema/key_schema.h"

#include <optional>
#include <string>

namespace rankscope::config {

/// Checks one value against the spec of its key. Returns a sentence about `key`, the name that the reader knows;
/// nothing if the value is fine.
std::optional<Message> checkValue(const std::string& key, const KeySpec& spec, const Node& value);

} // namespace rankscope::config
