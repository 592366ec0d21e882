// SPDX-License-Identifier: Apache-2.0
// Explains a hung run from its logs and Flight Recorder dumps: what `rankscopectl explain` and the window call.
#pragma once

#include "core/base/values/error.h"
#include "core/explain/model/explanation.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <vector>

namespace rankscope::explain {

struct ExplainOptions {
    std::vector<std::filesystem::path> paths; ///< logs, dumps, folders of them, pipes
    std::filesystem::path recipe;             ///< empty: the NEST recipes that we ship
    int ranks = 0;                            ///< of the run; 0: as the input says
    /// Receives the bytes read so far and of how many (0: not known); returns false to cancel. May be null.
    std::function<bool(std::int64_t done, std::int64_t all)> progress = {};
    std::filesystem::path below = {}; ///< files are named by their paths below this folder; empty: as in `paths`
};

/// Reads everything and judges it. Files that cannot be read are named in Explanation::files. Errors: a recipe that is
/// not valid, no path at all, no file that could be read, or a cancelled call (Busy).
Result<Explanation> explain(const ExplainOptions& options);

} // namespace rankscope::explain
