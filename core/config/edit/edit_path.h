// SPDX-License-Identifier: Apache-2.0
// The path to a node in the bytes of its file, and where the children of a section or list are: the basis of all edits.
#pragma once

#include "core/base/values/error.h"
#include "core/config/yaml/node_extent.h"

#include <string>
#include <vector>

namespace rankscope::config {

/// Thrown inside the edits; callers get an Error.
struct EditRefused {
    Error error;
};
[[noreturn]] void throwRefused(Errc code, Message what);

struct PathStep {
    const Node* container = nullptr;
    FlowContext around; ///< of the container
    const Entry* entry = nullptr;
    const Node* node = nullptr; ///< the child
    std::size_t index = 0;      ///< its index in the container

    FlowContext within() const { return inside(*container, around); }
    bool flow() const { return around.flow || container->flow; }
};

/// One child of a section or list.
struct ChildSpan {
    std::size_t begin = 0, end = 0; ///< begin of its key, dash, or value in brackets; end after its last byte
    std::size_t top = 0;            ///< start of its first line, including comment lines that belong to it
    bool ownLine = false;           ///< only spaces before it
};

constexpr std::size_t kAtEnd = static_cast<std::size_t>(-1);

/// Where a value is inserted.
struct EditTarget {
    Path parent;                ///< section or list, as named before the edit; empty: the document itself
    std::string name;           ///< of the key; empty when moving: it keeps its name. Ignored in a list
    std::size_t index = kAtEnd; ///< its index among the children after the edit, in file order ("<<" counts)
};

/// A path, as far as it exists and is written in this file; keys that "<<" brings in count as absent. Refuses to go
/// into an alias.
class ResolvedPath {
public:
    ResolvedPath(const std::string& text, const Node& root, const Path& path);

    const Path path;
    std::vector<PathStep> steps;

    bool isComplete() const { return steps.size() == path.size(); }
    Path resolved() const { return {path.begin(), path.begin() + static_cast<std::ptrdiff_t>(steps.size())}; }
    /// The node where it ends, and what encloses that node.
    const Node& end() const { return steps.empty() ? m_root : *steps.back().node; }
    FlowContext around() const { return steps.empty() ? FlowContext{} : steps.back().within(); }
    bool endsInFlow() const { return end().flow || around().flow; }

    /// Children of end(), in file order; children of the last step's container.
    std::vector<ChildSpan> children() const { return childrenAfter(steps.size()); }
    std::vector<ChildSpan> siblings() const { return childrenAfter(steps.size() - 1); }
    /// The position after the colon or dash of the last step.
    std::size_t valueOffset() const { return valueOffsetOf(steps.size() - 1); }

private:
    std::size_t valueOffsetOf(std::size_t step) const;
    std::vector<ChildSpan> childrenAfter(std::size_t count) const;

    const std::string& m_text;
    const Node& m_root;
};

} // namespace rankscope::config
