// SPDX-License-Identifier: Apache-2.0
#include "core/diagnosis/model/active_clock.h"

#include <algorithm>

namespace rankscope::diagnosis {

/// Bounds the values of a saved state, so that sums of times cannot overflow.
static constexpr std::int64_t kLatestPauseNs = std::int64_t{1} << 60;

void ActiveClock::add(Pause pause) {
    if (pause.endNs <= pause.beginNs)
        return;
    if (!m_pauses.empty() && pause.beginNs <= m_pauses.back().endNs) {
        Pause& newest = m_pauses.back();
        if (pause.endNs >= newest.beginNs)
            newest.endNs = std::max(newest.endNs, pause.endNs);
        return;
    }
    m_pauses.push_back(pause);
    if (m_pauses.size() <= m_most)
        return;
    m_forgottenNs = std::min(kLatestPauseNs, m_forgottenNs + m_pauses.front().endNs - m_pauses.front().beginNs);
    m_pauses.pop_front();
}

std::int64_t ActiveClock::pausedIn(std::int64_t fromNs, std::int64_t toNs) const {
    std::int64_t sum = 0;
    for (const Pause& p : m_pauses)
        sum += std::max<std::int64_t>(0, std::min(p.endNs, toNs) - std::max(p.beginNs, fromNs));
    return sum;
}

std::int64_t ActiveClock::active(std::int64_t monotonicNs) const {
    return monotonicNs <= 0 ? monotonicNs
                            : std::max<std::int64_t>(1, monotonicNs - m_forgottenNs - pausedIn(0, monotonicNs));
}

std::int64_t ActiveClock::monotonic(std::int64_t activeNs) const {
    if (activeNs <= 0)
        return activeNs;
    std::int64_t ns = activeNs + m_forgottenNs;
    for (const Pause& p : m_pauses)
        if (ns >= p.beginNs)
            ns += p.endNs - p.beginNs;
    return ns;
}

void ActiveClock::save(ByteEncoder& out) const {
    out.integer(m_forgottenNs);
    out.number(m_pauses.size());
    for (const Pause& p : m_pauses) {
        out.integer(p.beginNs);
        out.integer(p.endNs);
    }
}

bool ActiveClock::load(ByteDecoder& in) {
    m_forgottenNs = std::clamp<std::int64_t>(in.integer(), 0, kLatestPauseNs);
    m_pauses.clear();
    std::int64_t lastNs = 0;
    for (std::size_t n = in.count(); n > 0 && in.ok(); --n) {
        const Pause p{in.integer(), in.integer()};
        if (p.beginNs < lastNs || p.endNs <= p.beginNs || p.endNs > kLatestPauseNs || m_pauses.size() >= kMostPauses)
            in.fail();
        lastNs = p.endNs;
        m_pauses.push_back(p);
    }
    return in.ok();
}

} // namespace rankscope::diagnosis
