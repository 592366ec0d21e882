// SPDX-License-Identifier: Apache-2.0
// Overrides in Hydra's form: a.b=1 changes, +a.b=1 adds, ++a.b=1 either, ~a.b (or ~a.b=1) removes.
#pragma once

#include "core/config/yaml/node.h"

#include <functional>
#include <string>
#include <vector>

namespace rankscope::config {

/// Values follow Hydra's grammar: null, true, numbers, 'text', "text", [a, b], {a: 1}, or bare words.
tl::expected<Node, std::string> parseOverrideValue(const std::string& text);

/// Applies one; what is wrong with it comes back as a sentence. `isKnown`: keys that exist in code though not in the
/// file.
tl::expected<void, std::string> applyOverride(Node& root, const std::string& text,
                                              const std::function<bool(const std::string&)>& isKnown);

} // namespace rankscope::config
