// SPDX-License-Identifier: Apache-2.0
// Edits of a YAML text that keep the file: change, add, remove and move keys and list values, at any depth, in lines
// and in brackets. Pure: the document that is given stays as it is; what comes back says which bytes changed.
//
// What survives: every byte outside of the reported range, and within it all comments, order, quoting, indentation and
// line ends that do not belong to what was edited. A comment belongs to a key (or list value) when it stands on its
// lines, or in comment lines directly above it, at its indentation and without an empty line between; then it goes or
// moves with it. A comment at the very top of the file is the file's own and stays.
//
// Each edit is proved before it is handed out: the new text is read, and must give exactly the tree that the edit gives
// on the tree of the old one. What cannot be done without changing other values (an anchor that others refer to, what
// "<<" brings in, a document that is broken) is refused with a sentence.
#pragma once

#include "core/base/values/error.h"
#include "core/config/edit/document.h"
#include "core/config/edit/edit_path.h"

#include <cstddef>
#include <string>

namespace rankscope::config {

struct Edit {
    /// Bytes [begin, end) of the text before, which were `removed`, are `added` now.
    std::size_t begin = 0, end = 0;
    std::string removed, added;
    Path path;      ///< where the value stands now; of what was removed, where it stood
    Document after; ///< the edited text, read
};

/// The value at `path` becomes `value`, YAML in one line. The path must exist; a key that only "<<" or an alias brings
/// in does not count as there.
Result<Edit> changeValue(const Document& document, const Path& path, const ValueText& value);

/// Adds a key or a list value. Missing parents are added as sections (then `index` must be kAtEnd); a parent that is
/// null becomes a section.
Result<Edit> addValue(const Document& document, const Place& place, const ValueText& value);

/// Removes a key or a list value. A section or list that loses its last child stays as {} or [].
Result<Edit> removeValue(const Document& document, const Path& path);

/// Moves a key or list value with all that is below it, and renames it when `to.name` is another. Between lines its
/// bytes stay as they are but for the indentation; into or out of brackets, or between a section and a list, it is
/// written in one line, which is refused where that would lose a comment.
Result<Edit> moveValue(const Document& document, const Path& from, const Place& to);

/// Replaces the value of a dotted key, or adds the key (and missing parents) at the end of its section. The document
/// stays as it was where that is refused.
Result<void> setValue(Document& document, const std::string& key, const ValueText& value);
/// Removes a dotted key with its lines and the comments that belong to it.
Result<void> removeKey(Document& document, const std::string& key);

} // namespace rankscope::config
