// SPDX-License-Identifier: Apache-2.0
// Overrides in Hydra's form: a.b=1 changes a key, +a.b=1 adds one, ++a.b=1 does either, ~a.b (or ~a.b=1) removes one.
#pragma once

#include "core/config/yaml/node.h"

#include <tl/expected.hpp>

#include <functional>
#include <string>
#include <vector>

namespace rankscope::config {

/// Parses a value by Hydra's grammar: null, true, numbers, 'text', "text", [a, b], {a: 1}, or bare words.
tl::expected<Node, Message> parseOverrideValue(const std::string& text);

/// Applies one override; the error is a sentence that says what is wrong with it. `isKnown`: returns whether a key
/// exists in code even if it is not in the file.
tl::expected<void, Message> applyOverride(Node& root, const std::string& text,
                                          const std::function<bool(const std::string&)>& isKnown);

} // namespace rankscope::config
