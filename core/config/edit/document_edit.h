// SPDX-License-Identifier: Apache-2.0
// Edits a YAML text without rewriting the file: changes, adds, removes and moves keys and list values at any depth, in
// lines and in brackets. Pure: the given document is unchanged; the result says which bytes changed.
//
// What survives: every byte outside the reported range, and within it all comments, order, quoting, indentation and
// line ends that do not belong to the edited value. A comment belongs to a key (or list value) if it is on its lines,
// or in comment lines directly above it, at its indentation and without an empty line in between; it is then removed or
// moved with it. A comment at the very top of the file belongs to the file and stays.
//
// Each edit is proved before it is returned: the new text is parsed and must give exactly the tree that results from
// applying the edit to the old tree. An edit that would change other values (an anchor that others refer to, keys that
// "<<" brings in, a broken document) is refused with a message.
#pragma once

#include "core/base/values/error.h"
#include "core/config/edit/document.h"
#include "core/config/edit/edit_path.h"

#include <cstddef>
#include <string>

namespace rankscope::config {

struct Edit {
    /// Bytes [begin, end) of the old text, which were `removed`, have been replaced by `added`.
    std::size_t begin = 0, end = 0;
    std::string removed, added;
    Path path;      ///< where the value is now; for a removed value, where it was
    Document after; ///< the edited text, parsed
};

/// Sets the value at `path` to `value`, YAML in one line. The path must exist; a key that only "<<" or an alias brings
/// in does not count as existing.
Result<Edit> changeValue(const Document& document, const Path& path, const ValueText& value);

/// Adds a key or a list value. Missing parents are added as sections (then `index` must be kAtEnd); a parent that is
/// null becomes a section.
Result<Edit> addValue(const Document& document, const EditTarget& place, const ValueText& value);

/// Removes a key or a list value. A section or list that loses its last child becomes {} or [].
Result<Edit> removeValue(const Document& document, const Path& path);

/// Moves a key or list value with everything below it, and renames it if `to.name` is different. Between lines its
/// bytes keep their form except for the indentation; into or out of brackets, or between a section and a list, it is
/// written in one line, which is refused if that would lose a comment.
Result<Edit> moveValue(const Document& document, const Path& from, const EditTarget& to);

/// Replaces the value of a dotted key, or adds the key (and missing parents) at the end of its section. If that is
/// refused, the document is unchanged.
Result<void> setValue(Document& document, const std::string& key, const ValueText& value);
/// Removes a dotted key with its lines and the comments that belong to it.
Result<void> removeKey(Document& document, const std::string& key);

} // namespace rankscope::config
