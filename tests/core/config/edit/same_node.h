// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config/yaml/node.h"

#include <algorithm>

namespace rankscope::config::test {

/// Returns whether two trees are equal in every respect, including positions.
inline bool sameNode(const Node& a, const Node& b) {
    return a.kind == b.kind && a.text == b.text && a.quoted == b.quoted && a.flow == b.flow && a.alias == b.alias &&
           a.anchored == b.anchored && a.tagged == b.tagged && a.at.line == b.at.line && a.at.column == b.at.column &&
           a.offset == b.offset &&
           std::equal(a.items.begin(), a.items.end(), b.items.begin(), b.items.end(), sameNode) &&
           std::equal(a.entries.begin(), a.entries.end(), b.entries.begin(), b.entries.end(),
                      [](const Entry& x, const Entry& y) {
                          return x.mergeKey == y.mergeKey && x.merged == y.merged && sameNode(x.key, y.key) &&
                                 sameNode(x.value, y.value);
                      });
}

} // namespace rankscope::config::test
