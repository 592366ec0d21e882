// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/timeline/step_set.h"

#include <algorithm>
#include <iterator>

namespace rankscope::ui {

void StepSet::add(std::int64_t step) {
    if (m_newest != m_runs.end() && step >= m_newest->first && step <= m_newest->second)
        return;
    auto after = m_runs.upper_bound(step);
    auto run = after == m_runs.begin() ? m_runs.end() : std::prev(after);
    if (run != m_runs.end() && step <= run->second + 1)
        run->second = std::max(run->second, step);
    else
        run = m_runs.emplace_hint(after, step, step);
    if (after != m_runs.end() && after->first == step + 1) { // the step closed the gap between two intervals
        run->second = after->second;
        m_runs.erase(after);
    }
    m_newest = run;
}

StepSet::Runs::const_iterator StepSet::from(std::int64_t step) const {
    const auto after = m_runs.upper_bound(step);
    if (after != m_runs.begin() && std::prev(after)->second >= step)
        return std::prev(after);
    return after;
}

bool StepSet::containsAll(std::int64_t first, std::int64_t last) const {
    const auto run = from(first);
    return run != m_runs.end() && run->first <= first && run->second >= last;
}

std::int64_t StepSet::count(store::StepInterval within) const {
    std::int64_t sum = 0;
    for (auto run = from(within.first); run != m_runs.end() && run->first <= within.last; ++run)
        sum += std::min(run->second, within.last) - std::max(run->first, within.first) + 1;
    return sum;
}

std::vector<store::StepInterval> StepSet::gaps(store::StepInterval within) const {
    std::vector<store::StepInterval> gaps;
    std::int64_t at = within.first;
    for (auto run = from(within.first); run != m_runs.end() && run->first <= within.last; ++run) {
        if (run->first > at)
            gaps.push_back({at, run->first - 1});
        at = run->second + 1;
    }
    if (at <= within.last)
        gaps.push_back({at, within.last});
    return gaps;
}

} // namespace rankscope::ui
