// SPDX-License-Identifier: Apache-2.0
// Reading a text again of which a few bytes changed: only the smallest section's key around them is read, where that
// is sure to give what reading the whole text gives; the whole text otherwise.
#pragma once

#include "core/config/edit/document.h"
#include "core/config/yaml/node_extent.h"

#include <cstddef>
#include <optional>
#include <string>

namespace rankscope::config {

/// The tree of `after`, when bytes `changed` of `before`, whose tree is `root`, became others; as parseYaml(after).
tl::expected<Node, Problem> reparseYaml(const Node& root, const std::string& before, ByteRange changed,
                                        const std::string& after);

/// A document whose text is `text`; only bytes `changed` of the one before became others.
Document reparsed(const Document& before, std::string text, ByteRange changed);

/// The same, when no more than `most` bytes have to be read for it; none: more, or not sure to be the same. For who
/// cannot wait for a whole text.
std::optional<Document> reparsedPart(const Document& before, std::string text, ByteRange changed, std::size_t most);

} // namespace rankscope::config
