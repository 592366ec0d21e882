// SPDX-License-Identifier: GPL-3.0-or-later
// The x axis: steps, time or samples seen, and the way from each to the others.
#include "widgets/models/failure/run_failure.h"
#include "widgets/plots/axes/plot_style.h"
#include "widgets/review/series/lineage_series.h"
#include "widgets/review/series/incident_ranges.h"
#include "widgets/review/series/shared_axis_controller.h"

#include <algorithm>
#include <cmath>

namespace rankscope::ui {

namespace {
constexpr double kAlmost = 1e-6; ///< of a step: a place that was computed from a whole step is that step again
}

double PlotController::samplesPerStep() const {
    const double steps = m_samples ? m_samples->lastStep() + 1 : 0;
    return steps > 0 ? std::max(1.0, m_samples->total() / steps) : 1;
}

double PlotController::minWidth() const {
    return m_axis == CurveAxis::Time ? 0.05 : m_axis == CurveAxis::SampleCount ? 4 * samplesPerStep() : 4;
}

double PlotController::surroundings() const {
    return m_axis == CurveAxis::Time ? 5 : m_axis == CurveAxis::SampleCount ? 15 * samplesPerStep() : 15;
}

PlotRange PlotController::wholeOf(std::int64_t firstStep, std::int64_t lastStep, std::int64_t lastNs) const {
    switch (m_axis) {
    case CurveAxis::Time:
        return {0, std::max(1.0, static_cast<double>(lastNs) * 1e-9)};
    case CurveAxis::SampleCount:
        return {0, m_samples && m_samples->total() > 0 ? m_samples->total() + samplesPerStep() / 2 : 1};
    case CurveAxis::Step:
        break;
    }
    return {static_cast<double>(firstStep) - 0.5, std::max(0.0, static_cast<double>(lastStep)) + 0.5};
}

/// The newest; of two of the same version the window's, which is finer there.
void PlotController::takeTable(int tag, const SeriesReply& reply) {
    if (!reply.samples || (m_samples && tag != WindowTag && reply.stepsVersion <= m_samplesVersion))
        return;
    m_samples = reply.samples;
    m_samplesVersion = reply.stepsVersion;
}

void PlotController::applyTable() {
    if (m_axis != CurveAxis::SampleCount || !m_samples)
        return;
    if (const auto steps = std::exchange(m_stepsToShow, std::nullopt); steps && !m_all)
        m_window = {placeOf(steps->lo), placeOf(steps->hi)};
    updateWhole();
}

double PlotController::stepOf(double x) const {
    switch (m_axis) {
    case CurveAxis::Time:
        return m_clock.stepAt(static_cast<std::int64_t>(x * 1e9));
    case CurveAxis::SampleCount:
        return m_samples ? m_samples->stepAt(x) : 0;
    case CurveAxis::Step:
        break;
    }
    return x;
}

double PlotController::placeOf(double step) const {
    switch (m_axis) {
    case CurveAxis::Time:
        return static_cast<double>(m_clock.timeOf(step)) * 1e-9;
    case CurveAxis::SampleCount:
        return m_samples ? m_samples->at(step) : 0;
    case CurveAxis::Step:
        break;
    }
    return step;
}

double PlotController::placeOfOpenStep(std::int64_t step) const {
    return m_axis == CurveAxis::Step ? static_cast<double>(step) : m_whole.hi;
}

PlotRange PlotController::spanOf(const diagnosis::Incident& in) const {
    const RunView& view = m_session->view();
    if (m_axis == CurveAxis::Time) {
        const PlotRange time = timeOfIncident(in, view);
        return {time.lo * 1e-9, time.hi * 1e-9};
    }
    const PlotRange steps = stepsOfIncident(in, view, m_clock);
    PlotRange span{placeOf(steps.lo), placeOf(steps.hi)};
    if (m_axis == CurveAxis::SampleCount) // what a step under way will add is not known
        span.hi = std::max(span.hi, std::min(span.lo + samplesPerStep(), m_whole.hi));
    return span;
}

QList<IncidentSpan> PlotController::spans() const {
    QList<IncidentSpan> spans;
    if (!m_session || (m_axis == CurveAxis::SampleCount && !m_samples))
        return spans;
    const RunView& view = m_session->view();
    spans = earlierSpans(chain());
    const auto* fatal = fatalIncident(view.incidents, view.info.state, view.info.cause);
    for (const auto& in : view.incidents) {
        const PlotRange span = spanOf(in);
        spans.append(
            {in.id, span.lo, span.hi, incidentColour(&in == fatal), in.closed == diagnosis::CloseReason::Open});
    }
    return spans;
}

void PlotController::setAxis(CurveAxis axis) {
    if (axis == m_axis)
        return;
    const PlotRange steps{stepOf(m_window.lo), stepOf(m_window.hi)};
    m_axis = axis;
    m_window = {placeOf(steps.lo), placeOf(steps.hi)};
    m_stepsToShow.reset();
    if (axis == CurveAxis::SampleCount && !m_samples)
        m_stepsToShow = steps; // once the table is there
    m_windowVersion = -1;
    m_sinceOverview.invalidate();
    updateWhole();
    dataChanged();
}

void PlotController::showStep(std::int64_t step) {
    const auto at = static_cast<double>(step);
    if (m_axis == CurveAxis::Time)
        show({placeOf(at) - 10, placeOf(at) + 10});
    else
        showStepRange({at - 20, at + 20});
}

void PlotController::showSteps(std::int64_t first, std::int64_t last) {
    showStepRange({static_cast<double>(first) - 0.5, static_cast<double>(last) + 0.5});
}

void PlotController::showTime(std::int64_t fromNs, std::int64_t toNs) {
    if (m_axis == CurveAxis::Time)
        show({static_cast<double>(fromNs) * 1e-9, static_cast<double>(toNs) * 1e-9});
    else
        showStepRange({m_clock.stepAt(fromNs), m_clock.stepAt(toNs)});
}

void PlotController::showLinkedTime(std::int64_t fromNs, std::int64_t toNs) {
    if (!isFollowing())
        return showTime(fromNs, toNs);
    const double from =
        m_axis == CurveAxis::Time ? static_cast<double>(fromNs) * 1e-9 : placeOf(m_clock.stepAt(fromNs));
    const PlotRange window = clamped({from, m_whole.hi}, m_whole, minWidth());
    m_all = window == m_whole;
    setWindow(window);
}

void PlotController::showStepRange(PlotRange steps) {
    if (m_axis == CurveAxis::SampleCount && !m_samples) { // once the table is there
        emit aboutToMove();
        m_all = false;
        m_stepsToShow = steps;
        return;
    }
    show({placeOf(steps.lo), placeOf(steps.hi)});
}

store::StepInterval PlotController::stepsOf(PlotRange range) const {
    const PlotRange steps{stepOf(range.lo), stepOf(range.hi)};
    const double almost = m_axis == CurveAxis::SampleCount ? kAlmost : 0;
    const auto whole = [](double x) { return static_cast<std::int64_t>(std::clamp(x, 0.0, 1e15)); };
    const std::int64_t first = whole(std::ceil(steps.lo - almost)), last = whole(std::floor(steps.hi + almost));
    return last < first ? store::StepInterval{last, last} : store::StepInterval{first, last};
}

std::int64_t PlotController::stepNear(double x) const {
    std::int64_t last = 0;
    if (m_session)
        for (const auto& s : m_session->view().summaries)
            last = std::max(last, s.lastStep);
    return std::clamp<std::int64_t>(std::llround(stepOf(x)), 0, last);
}

std::int64_t PlotController::timeOf(double step) const {
    return m_clock.timeOf(step);
}

double PlotController::placeOfTime(std::int64_t ns) const {
    return m_axis == CurveAxis::Time ? static_cast<double>(ns) * 1e-9 : placeOf(m_clock.stepAt(ns));
}

std::int64_t PlotController::stepAtTime(std::int64_t ns) const {
    return std::max<std::int64_t>(0, std::llround(m_clock.stepAt(ns)));
}

PlotRange PlotController::secondsOfWindow() const {
    if (m_axis == CurveAxis::Time)
        return m_window;
    return {static_cast<double>(timeOf(stepOf(m_window.lo))) * 1e-9,
            static_cast<double>(timeOf(stepOf(m_window.hi))) * 1e-9};
}

} // namespace rankscope::ui
