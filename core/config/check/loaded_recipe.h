// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config/schema/key_schema.h"

#include <memory>
#include <vector>

namespace rankscope::config {

/// A recipe with everything that is wrong with it, from its text to the resolved tree. The checks add to `problems`.
struct Loaded {
    /// `written`: as in the file; under `model` if the file is only NeMo's model section. `changed`: after the
    /// overrides; the same tree if there are none.
    std::shared_ptr<const Node> written = std::make_shared<const Node>(), changed = written;
    Node resolved; ///< after interpolation
    bool modelOnly = false;
    bool broken = false;              ///< no tree could be built: only `problems` is valid
    const KeySchema* facts = nullptr; ///< the facts it was checked with: the recipe may name a version of NeMo
    std::vector<Problem> problems;
};

} // namespace rankscope::config
