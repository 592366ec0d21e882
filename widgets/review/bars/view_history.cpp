// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/review/bars/view_history.h"

namespace rankscope::ui {

void ViewHistory::note(ViewChange kind, const ViewState& before, std::int64_t nowMs) {
    const bool together =
        kind == ViewChange::Move && m_kind == kind && nowMs - m_lastMs <= kTogetherMs && !m_back.empty();
    m_kind = kind;
    m_lastMs = nowMs;
    m_forward.clear();
    if (together || (!m_back.empty() && m_back.back() == before))
        return;
    m_back.push_back(before);
    if (m_back.size() > kMost)
        m_back.erase(m_back.begin());
}

std::optional<ViewState> ViewHistory::take(std::vector<ViewState>& from, std::vector<ViewState>& to,
                                           const ViewState& now) {
    while (!from.empty()) {
        const ViewState state = from.back();
        from.pop_back();
        if (state == now)
            continue; // it would look the same
        to.push_back(now);
        return state;
    }
    return std::nullopt;
}

std::optional<ViewState> ViewHistory::back(const ViewState& now) {
    m_lastMs = -kTogetherMs - 1;
    return take(m_back, m_forward, now);
}

std::optional<ViewState> ViewHistory::forward(const ViewState& now) {
    m_lastMs = -kTogetherMs - 1;
    return take(m_forward, m_back, now);
}

void ViewHistory::clear() {
    *this = ViewHistory();
}

} // namespace rankscope::ui
