// SPDX-License-Identifier: Apache-2.0
// The way to a node in the bytes of its file, and where the children of a section or list stand: what edits rest on.
#pragma once

#include "core/base/values/error.h"
#include "core/config/yaml/node_extent.h"

#include <string>
#include <vector>

namespace rankscope::config {

/// Thrown within the edits, an Error outside.
struct Refusal {
    Error error;
};
[[noreturn]] void refuse(Errc code, std::string what);

struct Step {
    const Node* container = nullptr;
    Enclosing around; ///< of the container
    const Entry* entry = nullptr;
    const Node* node = nullptr; ///< the child
    std::size_t index = 0;      ///< its number in the container

    Enclosing within() const { return inside(*container, around); }
    bool flow() const { return around.flow || container->flow; }
};

/// One child of a section or list.
struct Child {
    std::size_t begin = 0, end = 0; ///< of its key, dash, or value in brackets; after its last byte
    std::size_t top = 0;            ///< the begin of its first line, comment lines that belong to it included
    bool ownLine = false;           ///< only spaces before it
};

constexpr std::size_t kAtEnd = static_cast<std::size_t>(-1);

/// Where something is put.
struct Place {
    Path parent;                ///< section or list, as it is named before the edit; empty: the document itself
    std::string name;           ///< of the key; empty when moved: the name that it has. Ignored in a list
    std::size_t index = kAtEnd; ///< after the edit it is child number `index`, in the file's order ("<<" counts)
};

/// As far as the path exists and is written here; what "<<" brings in counts as absent. Refuses to go into an alias.
class Way {
public:
    Way(const std::string& text, const Node& root, const Path& path);

    const Path path;
    std::vector<Step> steps;

    bool whole() const { return steps.size() == path.size(); }
    Path taken() const { return {path.begin(), path.begin() + static_cast<std::ptrdiff_t>(steps.size())}; }
    /// Where it ends, and what surrounds that.
    const Node& end() const { return steps.empty() ? m_root : *steps.back().node; }
    Enclosing around() const { return steps.empty() ? Enclosing{} : steps.back().within(); }
    bool endsInFlow() const { return end().flow || around().flow; }

    /// What end() holds in the file, in order; what the last step's container holds.
    std::vector<Child> children() const { return childrenAfter(steps.size()); }
    std::vector<Child> siblings() const { return childrenAfter(steps.size() - 1); }
    /// After the colon or dash of the last step.
    std::size_t afterMark() const { return afterMarkOf(steps.size() - 1); }

private:
    std::size_t afterMarkOf(std::size_t step) const;
    std::vector<Child> childrenAfter(std::size_t count) const;

    const std::string& m_text;
    const Node& m_root;
};

} // namespace rankscope::config
