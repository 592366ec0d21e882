// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/plots/curves/step_time_table.h"

#include <algorithm>

namespace rankscope::ui {

double StepTimeTable::stepAt(std::int64_t ns) const {
    if (m_points.empty())
        return 0;
    const auto it = std::ranges::upper_bound(m_points, ns, {}, &store::SeriesPoint::beginNs);
    if (it == m_points.begin())
        return static_cast<double>(it->firstStep) - 0.5;
    const auto& p = *std::prev(it);
    const auto first = static_cast<double>(p.firstStep);
    const auto last = static_cast<double>(p.lastStep);
    if (ns >= p.endNs) {
        if (it != m_points.end())
            return static_cast<double>(it->firstStep) - 0.5;
        const auto typical = std::max<double>(1, static_cast<double>(p.endNs - p.beginNs) / (last - first + 1));
        return last + 0.5 + std::min(1.0, static_cast<double>(ns - p.endNs) / typical);
    }
    const auto share =
        static_cast<double>(ns - p.beginNs) / static_cast<double>(std::max<std::int64_t>(1, p.endNs - p.beginNs));
    return first - 0.5 + share * (last - first + 1);
}

bool StepTimeTable::isExactAt(std::int64_t ns) const {
    const auto after = std::ranges::upper_bound(m_points, ns, {}, &store::SeriesPoint::beginNs);
    return after == m_points.begin() || std::prev(after)->firstStep == std::prev(after)->lastStep ||
           ns >= std::prev(after)->endNs;
}

std::int64_t StepTimeTable::timeOf(double step) const {
    if (m_points.empty())
        return 0;
    const auto it = std::upper_bound(m_points.begin(), m_points.end(), step, [](double s, const store::SeriesPoint& p) {
        return s < static_cast<double>(p.firstStep) - 0.5;
    });
    if (it == m_points.begin())
        return it->beginNs;
    const auto& p = *std::prev(it);
    const auto first = static_cast<double>(p.firstStep) - 0.5;
    const auto last = static_cast<double>(p.lastStep) + 0.5;
    const double share = std::clamp((step - first) / (last - first), 0.0, 1.0);
    return p.beginNs + static_cast<std::int64_t>(share * static_cast<double>(p.endNs - p.beginNs));
}

} // namespace rankscope::ui
