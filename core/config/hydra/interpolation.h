// SPDX-License-Identifier: Apache-2.0
// OmegaConf's interpolation: ${a.b}, ${.sibling}, ${..uncle}, ${a.${b}}, text around it, and the resolvers oc.env,
// oc.decode, oc.select, now, and NeMo's multiply.
#pragma once

#include "core/config/yaml/node.h"

#include <vector>

namespace rankscope::config {

/// A copy of `root` with every interpolation replaced by what it stands for. What cannot be resolved keeps its text, is
/// marked `unresolved` and is told in `problems` with the key and place of the one who asked. Sections named in `skip`
/// (top level) are copied as they are.
Node resolveAll(const Node& root, const std::vector<std::string>& skip, std::vector<Problem>& problems);

} // namespace rankscope::config
