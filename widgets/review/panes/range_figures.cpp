// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/review/panes/range_figures.h"

#include "widgets/review/series/shared_axis_controller.h"
#include "widgets/waits/range_pane.h"
#include "widgets/waits/waits_pane.h"

#include <algorithm>
#include <cmath>

namespace rankscope::ui {

RangeFigures::RangeFigures(const SharedAxisController& controller, WaitsPane* waits, RangePane* statistics)
    : m_controller(controller), m_waits(waits), m_statistics(statistics) {}

void RangeFigures::setSession(RunSession* session) {
    m_session = session;
    m_filter.reset();
    m_waits->clear();
    m_statistics->clear();
}

void RangeFigures::setFilter(std::optional<store::StepInterval> steps) {
    m_filter = steps;
    request();
}

void RangeFigures::updateOpenWaits() {
    std::vector<diagnosis::OpenWait> seen;
    if (m_session)
        for (const auto& wait : m_session->view().openWaits)
            if (m_filter ? wait.step >= m_filter->first && wait.step <= m_filter->last
                         : m_controller.window().contains(m_controller.placeOfOpenStep(wait.step)))
                seen.push_back(wait);
    m_waits->setOpenWaits(std::move(seen), m_session ? m_session->view().openUntilNs : 0,
                          m_session && launch::isLive(m_session->view().info.state));
}

/// Requests the filtered steps, or the visible part of the run by whole steps.
void RangeFigures::request() {
    if (!m_session || !m_controller.hasSteps()) {
        m_waits->clear();
        return m_statistics->clear();
    }
    if (m_filter)
        return requestRange({storeAt(m_filter->last), false, m_filter->first, m_filter->last, true});
    const PlotRange w = m_controller.window();
    if (m_controller.axis() == CurveAxis::SampleCount) {
        const auto steps = m_controller.stepsOf(w);
        return requestRange({m_session->run().store(), false, steps.first, steps.last});
    }
    const bool byTime = m_controller.axis() == CurveAxis::Time;
    const auto store = byTime ? m_session->run().store() : storeAt(static_cast<std::int64_t>(std::floor(w.hi)));
    const double scale = byTime ? 1e9 : 1;
    const auto whole = [](double value) { return static_cast<std::int64_t>(std::clamp(value, -1.0, 9e18)); };
    requestRange({store, byTime, whole(std::ceil(w.lo * scale)), whole(std::floor(w.hi * scale))});
}

void RangeFigures::requestRange(const WaitsRequest& request) {
    m_waits->setRequest(request);
    m_statistics->setRequest(request);
}

/// Returns the store of an earlier run if the requested steps end before the opened run began.
std::filesystem::path RangeFigures::storeAt(std::int64_t lastStep) const {
    const RunLineage* chain = m_controller.chain();
    const ChainPart* part = chain ? chain->partAt(lastStep) : nullptr;
    return part ? part->run.store() : m_session->run().store();
}

bool RangeFigures::isComplete() const {
    return m_waits->isComplete() && m_statistics->isComplete();
}

} // namespace rankscope::ui
