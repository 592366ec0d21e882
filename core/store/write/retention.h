// SPDX-License-Identifier: Apache-2.0
// Removes old single collectives and phases, except around incidents. Sums per step are kept forever.
#pragma once

#include "core/store/sqlite/sqlite.h"
#include "core/store/tables/run_meta.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace rankscope::store {

/// Steps [first, end).
struct StepRange {
    std::int64_t first = 0, end = 0;
    friend bool operator==(const StepRange&, const StepRange&) = default;
};

/// Returns the parts of `range` that are in none of `kept`, ascending.
std::vector<StepRange> without(StepRange range, std::vector<StepRange> kept);
/// Returns the steps that are kept because of an incident over [step, lastStep]: at most `newestSteps` for a very long
/// one.
StepRange keptAround(std::int64_t step, std::int64_t lastStep, const Retention& retention);

class DetailPruner {
public:
    Result<void> prepare(const Database& db);
    struct Removed {
        std::int64_t collectives = 0, phases = 0;
    };
    Result<Removed> remove(const std::vector<StepRange>& ranges);

private:
    const Database* m_db = nullptr;
    Statement m_collectives, m_phases, m_pairs;
};

} // namespace rankscope::store
