// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/config/schema/key_schema.h"

#include <memory>
#include <vector>

namespace rankscope::config {

/// A recipe with everything that is wrong with it, from the text to the resolved tree. The checks add to `problems`.
struct Loaded {
    /// As in the file; under `model` when the file is only NeMo's model section. And after the overrides: the same
    /// tree when there are none.
    std::shared_ptr<const Node> written = std::make_shared<const Node>(), changed = written;
    Node resolved; ///< after interpolation
    bool modelOnly = false;
    bool broken = false;          ///< no tree could be made: only `problems` counts
    const Facts* facts = nullptr; ///< what it was checked with: the recipe may name a version of NeMo
    std::vector<Problem> problems;
};

} // namespace rankscope::config
