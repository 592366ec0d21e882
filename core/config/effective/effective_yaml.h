// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config/schema/key_schema.h"

#include <string>

namespace rankscope::config {

/// Writes a tree that withCodeDefaults() has completed as YAML, one line per value; `comments`: where a value that is
/// not yours comes from.
std::string effectiveYaml(const Node& tree, const Facts& facts, bool comments);

} // namespace rankscope::config
