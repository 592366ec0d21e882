// SPDX-License-Identifier: Apache-2.0
// Computes which bytes an edit removes and inserts; document_edit.cpp proves that nothing else changes before it
// returns the edit. All functions throw EditRefused.
#pragma once

#include "core/config/edit/edit_path.h"

#include <string>
#include <vector>

namespace rankscope::config {

/// Bytes [begin, end) are replaced by `by`.
struct TextPatch {
    std::size_t begin = 0, end = 0;
    std::string by;
};
using TextPatches = std::vector<TextPatch>; ///< of one text; they do not overlap

TextPatches changePatches(const std::string& text, const ResolvedPath& way, const std::string& value);
/// `way` leads to the parent of the place, as far as it exists.
TextPatches addPatches(const std::string& text, const Node& root, const ResolvedPath& way, const EditTarget& place,
                       const std::string& value);
TextPatches removePatches(const std::string& text, const ResolvedPath& way);
/// `to.parent` exists and is not below the moved value.
TextPatches movePatches(const std::string& text, const Node& root, const ResolvedPath& from, const ResolvedPath& to,
                        const EditTarget& place);

} // namespace rankscope::config
