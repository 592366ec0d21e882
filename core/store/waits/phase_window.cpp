// SPDX-License-Identifier: Apache-2.0
#include "core/store/waits/phase_window.h"

#include "core/base/values/result.h"
#include "core/store/tables/row_reading.h"

#include <algorithm>

namespace rankscope::store {

PhaseWindow::PhaseWindow(Statement& rows, int worldSize, const diagnosis::ActiveClock& clock)
    : m_rows(&rows), m_clock(&clock), m_ranks(static_cast<std::size_t>(std::max(worldSize, 0))) {}

Result<void> PhaseWindow::fetch() {
    RS_TRY_ASSIGN(auto row, m_rows->step());
    m_ahead = row;
    m_atEnd = !row;
    return {};
}

Result<void> PhaseWindow::moveTo(std::int64_t step) {
    for (RankPhases& rank : m_ranks) {
        const auto keep =
            std::partition_point(rank.steps.begin(), rank.steps.end(), [&](std::int64_t s) { return s < step - 1; }) -
            rank.steps.begin();
        rank.steps.erase(rank.steps.begin(), rank.steps.begin() + keep);
        rank.spans.erase(rank.spans.begin(), rank.spans.begin() + keep);
    }
    if (!m_ahead && !m_atEnd)
        RS_TRY(fetch());
    while (m_ahead && m_rows->integer(0) <= step + 1) {
        const std::int64_t of = m_rows->integer(0), rank = m_rows->integer(1), phase = m_rows->integer(4);
        if (of >= step - 1 && rank >= 0 && rank < static_cast<std::int64_t>(m_ranks.size())) {
            const bool known = phase > 0 && phase < static_cast<std::int64_t>(diagnosis::kPhaseCount);
            RankPhases& into = m_ranks[static_cast<std::size_t>(rank)];
            into.spans.push_back({known ? static_cast<telemetry::Phase>(phase) : telemetry::Phase::None,
                                  m_clock->active(timeOf(*m_rows, 2)), m_clock->active(timeOf(*m_rows, 3))});
            into.steps.push_back(of);
        }
        RS_TRY(fetch());
    }
    return {};
}

std::span<const diagnosis::PhaseSpan> PhaseWindow::of(int rank) const {
    return m_ranks[static_cast<std::size_t>(rank)].spans;
}

std::vector<std::int64_t> PhaseWindow::beginsOf(std::int64_t step) const {
    std::vector<std::int64_t> begins;
    for (const RankPhases& rank : m_ranks) {
        const auto at = std::lower_bound(rank.steps.begin(), rank.steps.end(), step);
        if (at == rank.steps.end() || *at != step)
            return {};
        begins.push_back(rank.spans[static_cast<std::size_t>(at - rank.steps.begin())].beginNs);
    }
    return begins;
}

} // namespace rankscope::store
