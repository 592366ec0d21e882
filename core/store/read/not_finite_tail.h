// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/values/error.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace rankscope::store {

class RunReader;

/// The newest steps of one rank, back to the last one whose loss and gradient were finite. A healthy run has none.
struct NotFiniteTail {
    std::int64_t since = -1; ///< the first of these steps; -1: there is none
    std::int64_t steps = 0;  ///< number of these steps
    bool loss = false;       ///< The loss of the newest step is not finite.
    bool weights = false;    ///< The optimizer used a non-finite gradient, or the rank reported such weights.

    /// Adds the next step, with the flags of its record.
    void addStep(std::int64_t step, std::int64_t flags);
    /// Adds the text that the rank reported at its end, after `lastStep`.
    void addEnd(std::string_view text, std::int64_t lastStep);
};

/// Returns the tail of each rank of a run, by rank.
Result<std::vector<NotFiniteTail>> notFiniteTails(RunReader& reader);

} // namespace rankscope::store
