// SPDX-License-Identifier: Apache-2.0
// Finds where a node ends in the bytes of its file. The tree only records where nodes start.
#pragma once

#include "core/config/yaml/node.h"

#include <cstddef>
#include <optional>
#include <string>

namespace rankscope::config {

/// What encloses a node: decides what ends a plain scalar.
struct FlowContext {
    bool flow = false; ///< inside brackets
    int indent = -1;   ///< column (from 0) of the keys or dashes of the block that contains the node; -1: the document
};

struct ByteRange {
    std::size_t begin = 0, end = 0;
};

constexpr std::size_t kNowhere = std::string::npos;

std::size_t lineBegin(const std::string& text, std::size_t at);
std::size_t lineEnd(const std::string& text, std::size_t at); ///< after the line's last byte, before its line break
/// Returns the position after the line break at `at`; `at` itself if there is none.
std::size_t skipBreak(const std::string& text, std::size_t at);

/// Returns the first byte that is not text (not UTF-8, a control character, a line break beyond ASCII) and why; none if
/// there is no such byte.
std::optional<Problem> wrongBytes(const std::string& text);
/// Returns the position after spaces, line breaks and comments.
std::size_t skipBlank(const std::string& text, std::size_t at);

/// Returns what encloses the children of a map or list.
FlowContext inside(const Node& container, const FlowContext& around);
/// Returns the position after anchor and tag.
std::size_t contentBegin(const std::string& text, const Node& node);
/// Returns the position after the last byte of the node. `node` must not be an implicit null.
std::size_t nodeEnd(const std::string& text, const Node& node, const FlowContext& around);
/// Returns whether a quoted scalar has its closing quote: yaml-cpp accepts the end of the file instead.
bool isClosed(const std::string& text, const Node& node);
/// Returns the position of the colon after a key; kNowhere if it is not written as "key:".
std::size_t colonAfter(const std::string& text, const Node& key, const FlowContext& around);
/// Returns the position after the last byte of "key: value"; `around`: the result of inside() for the map.
std::size_t entryEnd(const std::string& text, const Entry& entry, const FlowContext& around);

} // namespace rankscope::config
