// SPDX-License-Identifier: Apache-2.0
// OmegaConf's interpolation: ${a.b}, ${.sibling}, ${..uncle}, ${a.${b}}, text around it, and the resolvers oc.env,
// oc.decode, oc.select, now, and NeMo's multiply.
#pragma once

#include "core/config/yaml/node.h"

#include <vector>

namespace rankscope::config {

/// Returns a copy of `root` with every interpolation replaced by its value. An interpolation that cannot be resolved
/// keeps its text, is marked `unresolved`, and is reported in `problems` at the key that refers to it, with its
/// position. Sections named in `skip` (top level) are copied unchanged.
Node resolveAll(const Node& root, const std::vector<std::string>& skip, std::vector<Problem>& problems);

} // namespace rankscope::config
