// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/plots/curves/step_time_map.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace rankscope::ui {

void StepTimeMap::clear() {
    *this = {};
}

void StepTimeMap::setNow(const RunView& view) {
    m_tail.clear();
    m_live = launch::isLive(view.info.state);
    StepTimePoint stored{-0.5, 0};
    for (const auto& s : view.summaries)
        if (static_cast<double>(s.lastStep) + 0.5 > stored.step)
            stored = {static_cast<double>(s.lastStep) + 0.5, s.lastNs};
    if (stored.step > 0)
        m_tail.push_back(stored);
    if (!m_live)
        return join();
    std::int64_t newest = -1;
    for (const auto& tile : view.ranks)
        newest = std::max(newest, tile.step);
    const StepTimePoint now{std::max(static_cast<double>(newest) + 0.5, stored.step), view.nowNs - view.info.startNs};
    if (newest >= 0 && now.ns > stored.ns)
        m_tail.push_back(now);
    join();
}

void StepTimeMap::setWhole(StepTimeTable whole) {
    m_whole = std::move(whole);
    join();
}

void StepTimeMap::setPart(StepTimeTable part) {
    m_part = std::move(part);
    join();
}

void StepTimeMap::join() {
    m_knots.clear();
    const auto add = [this](double step, std::int64_t ns) {
        if (m_knots.empty() || (step >= m_knots.back().step && ns > m_knots.back().ns))
            m_knots.push_back({step, ns});
    };
    for (const StepTimeTable* read : {&m_whole, &m_part})
        if (!read->empty()) {
            add(read->firstStep() - 0.5, read->beginNs());
            add(read->lastStep() + 0.5, read->endNs());
        }
    for (const StepTimePoint& knot : m_tail)
        add(knot.step, knot.ns);
}

const StepTimeTable* StepTimeMap::clockAt(std::int64_t ns) const {
    if (!m_part.empty() && ns >= m_part.beginNs() && ns <= m_part.endNs())
        return &m_part;
    return !m_whole.empty() && ns <= m_whole.endNs() ? &m_whole : nullptr;
}

const StepTimeTable* StepTimeMap::clockOf(double step) const {
    if (!m_part.empty() && step >= m_part.firstStep() - 0.5 && step <= m_part.lastStep() + 0.5)
        return &m_part;
    return !m_whole.empty() && step <= m_whole.lastStep() + 0.5 ? &m_whole : nullptr;
}

double StepTimeMap::stepAt(std::int64_t ns) const {
    if (const StepTimeTable* clock = clockAt(ns))
        return clock->stepAt(ns);
    if (m_knots.empty() || ns <= m_knots.front().ns)
        return m_knots.empty() ? 0 : m_knots.front().step;
    const auto after = std::ranges::upper_bound(m_knots, ns, {}, &StepTimePoint::ns);
    const StepTimePoint& before = *std::prev(after);
    if (after != m_knots.end())
        return before.step + (after->step - before.step) * static_cast<double>(ns - before.ns) /
                                 static_cast<double>(after->ns - before.ns);
    // an ended run has one more step after the last recorded one: the step it died in
    const StepTimeTable& last = !m_part.empty() && m_part.lastStep() + 0.5 >= before.step ? m_part : m_whole;
    return m_live || last.empty() ? before.step : std::max(before.step, last.stepAt(ns));
}

bool StepTimeMap::isExactAt(std::int64_t ns) const {
    if (const StepTimeTable* clock = clockAt(ns))
        return clock->isExactAt(ns);
    const auto after = std::ranges::upper_bound(m_knots, ns, {}, &StepTimePoint::ns);
    // several steps between two knots share the time between them
    return after == m_knots.begin() ? m_knots.empty() || ns == after->ns
                                    : after == m_knots.end() || after->step - std::prev(after)->step <= 1;
}

std::int64_t StepTimeMap::timeOf(double step) const {
    if (const StepTimeTable* clock = clockOf(step))
        return clock->timeOf(step);
    if (m_knots.empty() || step <= m_knots.front().step)
        return m_knots.empty() ? 0 : m_knots.front().ns;
    const auto after = std::ranges::lower_bound(m_knots, step, {}, &StepTimePoint::step);
    if (after == m_knots.end())
        return m_knots.back().ns;
    const StepTimePoint& before = *std::prev(after);
    return before.ns + static_cast<std::int64_t>((step - before.step) / (after->step - before.step) *
                                                 static_cast<double>(after->ns - before.ns));
}

} // namespace rankscope::ui
