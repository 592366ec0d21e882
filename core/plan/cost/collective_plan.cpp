// SPDX-License-Identifier: Apache-2.0
#include "core/plan/cost/collective_plan.h"

#include <algorithm>

namespace rankscope::plan {

std::vector<CollectivePlan> sumByTag(const TrainerCollectives& collectives) {
    std::vector<CollectivePlan> sums;
    for (const PlannedCollective& c : collectives.step) {
        const auto same = [&](const CollectivePlan& s) {
            return s.tag == c.tag && s.op == c.op && s.phase == c.phase && s.dtype == c.dtype;
        };
        auto sum = std::ranges::find_if(sums, same);
        if (sum == sums.end())
            sum = sums.insert(sums.end(), {c.tag, c.op, c.phase, c.dtype, 0, 0, c.blocks, c.certain});
        const CallsAndBytes total = totalOf(c, collectives.batches);
        sum->calls += total.calls;
        sum->bytes += total.bytes;
        sum->certain = sum->certain && c.certain;
    }
    return sums;
}

} // namespace rankscope::plan
