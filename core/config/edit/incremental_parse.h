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

/// Returns the document of `text`, which differs from the one before only in what bytes `changed` of that became.
Document reparsed(const Document& before, std::string text, ByteRange changed);

/// The same where at most `most` bytes have to be read for it, for callers that cannot wait for a whole text. Returns
/// nothing where it takes more, or where the result is not sure to be the same.
std::optional<Document> reparsedPart(const Document& before, std::string text, ByteRange changed, std::size_t most);

} // namespace rankscope::config
