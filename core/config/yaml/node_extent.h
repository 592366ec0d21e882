// SPDX-License-Identifier: Apache-2.0
// Where a node ends in the bytes of its file. The tree tells only where nodes begin.
#pragma once

#include "core/config/yaml/node.h"

#include <cstddef>
#include <optional>
#include <string>

namespace rankscope::config {

/// Where a node stands: decides what ends a plain scalar.
struct Enclosing {
    bool flow = false; ///< inside of brackets
    int indent = -1;   ///< column (from 0) of the keys or dashes of the block that holds the node; -1: the document
};

struct ByteRange {
    std::size_t begin = 0, end = 0;
};

constexpr std::size_t kNowhere = std::string::npos;

std::size_t lineBegin(const std::string& text, std::size_t at);
std::size_t lineEnd(const std::string& text, std::size_t at); ///< of the line's last byte + 1, the line break excluded
/// After the line break at `at`; `at` itself when there is none.
std::size_t skipBreak(const std::string& text, std::size_t at);

/// The first byte that is no text (not UTF-8, a control character, a line break beyond ASCII) and what it is; none: fine.
std::optional<Problem> wrongBytes(const std::string& text);
/// Over spaces, line breaks and comments.
std::size_t skipBlank(const std::string& text, std::size_t at);

/// What holds the children of a map or list.
Enclosing inside(const Node& container, const Enclosing& around);
/// After anchor and tag.
std::size_t contentBegin(const std::string& text, const Node& node);
/// After the last byte of the node. `node` must not be an implicit null.
std::size_t nodeEnd(const std::string& text, const Node& node, const Enclosing& around);
/// A quoted scalar whose last quote is there: yaml-cpp takes the end of the file for it.
bool isClosed(const std::string& text, const Node& node);
/// The colon after a key; kNowhere for what is not written "key:".
std::size_t colonAfter(const std::string& text, const Node& key, const Enclosing& around);
/// After the last byte of "key: value"; `around` is what inside() says of the map.
std::size_t entryEnd(const std::string& text, const Entry& entry, const Enclosing& around);

} // namespace rankscope::config
