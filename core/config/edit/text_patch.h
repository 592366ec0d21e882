// SPDX-License-Identifier: Apache-2.0
// Computes which bytes an edit removes and inserts; document_edit.cpp proves that nothing else changes before it
// returns the edit. All functions throw Refusal.
#pragma once

#include "core/config/edit/edit_path.h"

#include <string>
#include <vector>

namespace rankscope::config {

/// Bytes [begin, end) are replaced by `by`.
struct Splice {
    std::size_t begin = 0, end = 0;
    std::string by;
};
using Splices = std::vector<Splice>; ///< of one text; they do not overlap

Splices changeSplices(const std::string& text, const Way& way, const std::string& value);
/// `way` leads to the parent of the place, as far as it exists.
Splices addSplices(const std::string& text, const Node& root, const Way& way, const Place& place,
                   const std::string& value);
Splices removeSplices(const std::string& text, const Way& way);
/// `to.parent` exists and is not below the moved value.
Splices moveSplices(const std::string& text, const Node& root, const Way& from, const Way& to, const Place& place);

} // namespace rankscope::config
