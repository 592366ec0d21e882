// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config/schema/key_schema.h"

namespace rankscope::config {

/// `tree` with the code's defaults that act, each marked Origin::Code, at the end of their sections. `resolved`: the
/// same tree, of which only the sections count that the facts know.
Node withCodeDefaults(Node tree, const Node& resolved, const Facts& facts);
inline Node withCodeDefaults(const Node& resolved, const Facts& facts) {
    return withCodeDefaults(resolved, resolved, facts);
}
/// A copy of only those sections.
Node knownSections(const Node& tree, const Facts& facts);

} // namespace rankscope::config
