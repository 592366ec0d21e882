// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/store/waits/wait_report.h"

#include <cstdint>
#include <map>
#include <vector>

namespace rankscope::ui {

/// A set of step numbers, kept as intervals of consecutive ones. Its size depends on the steps in it, not on how far
/// apart their numbers are: imported runs count samples or tokens.
class StepSet {
public:
    void add(std::int64_t step);
    bool containsAll(std::int64_t first, std::int64_t last) const;
    /// Returns the number of its steps within an interval.
    std::int64_t count(store::StepInterval within) const;
    /// Returns the intervals of `within` that contain none of its steps, ascending.
    std::vector<store::StepInterval> gaps(store::StepInterval within) const;

private:
    using Runs = std::map<std::int64_t, std::int64_t>; ///< first step to last step
    /// Returns the first interval that ends at `step` or later.
    Runs::const_iterator from(std::int64_t step) const;

    Runs m_runs;
    Runs::iterator m_newest = m_runs.end(); ///< the interval that got the newest step: most steps come in order
};

} // namespace rankscope::ui
