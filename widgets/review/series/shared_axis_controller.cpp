// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/review/series/shared_axis_controller.h"

#include "widgets/review/series/incident_place.h"
#include "widgets/review/series/run_series.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace rankscope::ui {

namespace {
constexpr int kOverviewPoints = 600;
constexpr int kMostPoints = 150'000; ///< over all ranks and metrics of one answer
/// share of the window requested on either side, so that panning has something to show
constexpr double kMargin = 0.25;
constexpr qint64 kOverviewPeriodMs = 1000;
constexpr std::int64_t kAllSamples = 1'000'000'000'000'000;
/// tolerance in steps, so that a place computed from a whole step gives that step again
constexpr double kAlmost = 1e-6;
} // namespace

SharedAxisController::SharedAxisController(std::vector<store::Metric> metrics, QObject* parent)
    : QObject(parent), m_metrics(std::move(metrics)) {
    m_askTimer.setSingleShot(true);
    connect(&m_askTimer, &QTimer::timeout, this, &SharedAxisController::ask);
}

void SharedAxisController::setSession(RunSession* session) {
    if (m_session) {
        m_session->disconnect(this);
        m_session->following().disconnect(this);
    }
    m_session = session;
    m_windowQuery = m_overviewQuery = {};
    m_windowVersion = -1;
    m_clock.clear();
    m_hasOverview = false;
    m_samples.reset();
    m_stepsToShow.reset();
    m_window = m_whole = m_axis == CurveAxis::Step ? PlotRange{-0.5, 0.5} : PlotRange{0, 1};
    m_all = true;
    m_wasLive = false;
    m_sinceOverview.invalidate();
    emit followChanged(follow());
    if (!session)
        return;
    connect(&session->following(), &Following::changed, this, &SharedAxisController::followingChanged);
    connect(session, &RunSession::viewChanged, this, &SharedAxisController::updateWhole);
    connect(session, &RunSession::stepsChanged, this, &SharedAxisController::dataChanged);
    connect(session, &RunSession::seriesReady, this, &SharedAxisController::take);
    updateWhole();
    dataChanged();
}

void SharedAxisController::setMetrics(std::vector<store::Metric> metrics) {
    if (metrics == m_metrics)
        return;
    m_metrics = std::move(metrics);
    m_windowVersion = -1;
    dataChanged();
}

void SharedAxisController::setPixelWidth(int pixels) {
    if (pixels == m_pixels || pixels < 1)
        return;
    const bool finer = pixels > m_pixels;
    m_pixels = pixels;
    if (finer)
        dataChanged();
}

void SharedAxisController::setWithChain(bool on) {
    if (on == m_withChain)
        return;
    m_withChain = on;
    if (!m_session || !m_session->view().chain)
        return;
    m_windowVersion = -1;
    m_sinceOverview.invalidate();
    updateWhole();
    dataChanged();
}

const RunLineage* SharedAxisController::chain() const {
    return m_withChain && m_session && m_axis == CurveAxis::Step ? m_session->view().chain.get() : nullptr;
}

bool SharedAxisController::hasSteps() const {
    return m_session && std::any_of(m_session->view().summaries.begin(), m_session->view().summaries.end(),
                                    [](const auto& s) { return s.lastStep >= 0; });
}

bool SharedAxisController::isSettled() const {
    if (!m_session || !hasSteps())
        return true;
    const bool idle = !m_windowQuery.underway && !m_overviewQuery.underway;
    if (isLive())
        return m_windowVersion >= 0 && m_hasOverview;
    return idle && !m_windowQuery.dirty && !m_overviewQuery.dirty && m_windowVersion == m_session->view().stepsVersion;
}

bool SharedAxisController::isLive() const {
    return m_session && launch::isLive(m_session->view().info.state);
}

void SharedAxisController::updateWhole() {
    if (!m_session)
        return;
    const RunView& view = m_session->view();
    const bool live = isLive();
    std::int64_t firstStep = std::numeric_limits<std::int64_t>::max(), lastStep = -1, lastNs = 0;
    for (const auto& s : view.summaries) {
        if (s.firstStep >= 0) // a resumed run begins where the previous one ended
            firstStep = std::min(firstStep, s.firstStep);
        lastStep = std::max(lastStep, s.lastStep);
        lastNs = std::max(lastNs, s.lastNs);
    }
    if (live) {
        for (const auto& tile : view.ranks)
            lastStep = std::max(lastStep, tile.step);
        lastNs = std::max(lastNs, view.nowNs - view.info.startNs);
    }
    // the step in which a rank died was never recorded: its mark would be outside
    if (std::any_of(view.incidents.begin(), view.incidents.end(), [&](const auto& in) { return in.step > lastStep; }))
        ++lastStep;
    m_clock.setNow(view);
    if (chain())
        firstStep = std::min(firstStep, chain()->firstStep());
    m_whole = wholeOf(std::min(firstStep, std::max<std::int64_t>(0, lastStep)), lastStep, lastNs);
    if (std::exchange(m_wasLive, live) && !live && follow())
        m_all = true; // the run that was followed has ended: show all of it
    PlotRange window = m_window;
    if (m_all)
        window = m_whole;
    else if (isFollowing())
        window = following(window, m_whole);
    else
        window = clamped(window, m_whole, minWidth());
    setWindow(window);
}

void SharedAxisController::setWindow(PlotRange window) {
    const bool moved = window != m_window;
    m_window = window;
    if (moved)
        m_windowQuery.dirty = true;
    emit rangesChanged();
    if (moved && !m_windowQuery.underway)
        scheduleRequest(12);
}

void SharedAxisController::dataChanged() {
    m_windowQuery.dirty = m_overviewQuery.dirty = true;
    // a live run must not keep the reader busy all the time
    const qint64 since = m_askedAt.isValid() ? m_askedAt.elapsed() : 3 * m_lastAnswerMs;
    scheduleRequest(static_cast<int>(std::clamp<qint64>(3 * m_lastAnswerMs - since, 0, 1000)));
}

/// Schedules a request in at most `ms`: a longer wait, for the overview, does not delay what is due sooner.
void SharedAxisController::scheduleRequest(int ms) {
    if (!m_askTimer.isActive() || m_askTimer.remainingTime() > ms)
        m_askTimer.start(ms);
}

void SharedAxisController::ask() {
    if (!m_session || !hasSteps())
        return;
    const bool lacksTable = m_axis == CurveAxis::SampleCount && !m_samples;
    if (m_windowQuery.dirty && !m_windowQuery.underway && !lacksTable)
        requestWindow();
    if (!m_overviewQuery.dirty || m_overviewQuery.underway)
        return;
    const qint64 rest = m_sinceOverview.isValid() ? kOverviewPeriodMs - m_sinceOverview.elapsed() : 0;
    if (!isLive() || lacksTable || rest <= 0)
        requestOverview();
    else // a stall may follow, in which nothing else would trigger a request
        scheduleRequest(static_cast<int>(rest));
}

void SharedAxisController::requestWindow() {
    m_windowQuery = {false, true};
    const double margin = m_window.width() * kMargin;
    const double lo = m_window.lo - margin, hi = m_window.hi + margin;
    const double unit = m_axis == CurveAxis::Time ? 1e9 : 1;
    const auto series = static_cast<int>(std::max<std::size_t>(1, m_metrics.size() * m_session->view().ranks.size()));
    SeriesRequest request;
    request.metrics = m_metrics;
    if (request.metrics.empty())
        request.metrics = {store::Metric::Loss}; // only an import's own series are plotted, but the clock needs steps
    request.axis = m_axis;
    request.withEarlierRuns = chain() != nullptr;
    request.from = std::max<std::int64_t>(0, static_cast<std::int64_t>(std::floor(lo * unit)));
    request.to = std::max<std::int64_t>(0, static_cast<std::int64_t>(std::ceil(hi * unit)));
    request.maxPoints = std::clamp(kMostPoints / series, 50, std::max(50, m_pixels));
    m_askedAt.start();
    m_session->requestSeries(WindowTag, request);
    emit windowAsked(request);
}

void SharedAxisController::requestOverview() {
    m_overviewQuery = {false, true};
    m_sinceOverview.start();
    SeriesRequest request;
    request.metrics = {store::Metric::Loss};
    request.axis = m_axis;
    request.withEarlierRuns = chain() != nullptr;
    request.to = static_cast<std::int64_t>(std::ceil(m_whole.hi * (m_axis == CurveAxis::Time ? 1e9 : 1)));
    if (m_axis == CurveAxis::SampleCount)
        request.to = kAllSamples;
    const auto ranks = static_cast<int>(std::max<std::size_t>(1, m_session->view().ranks.size()));
    request.maxPoints = std::clamp(kMostPoints / 4 / ranks, 50, kOverviewPoints);
    m_session->requestSeries(OverviewTag, request);
}

StepTimeTable SharedAxisController::clockOf(const SeriesReply& reply) const {
    if (reply.points.empty() || reply.points.front().empty())
        return {};
    const auto& ranks = reply.points.front();
    const auto longest =
        std::max_element(ranks.begin(), ranks.end(), [](const auto& a, const auto& b) { return a.size() < b.size(); });
    return StepTimeTable(*longest);
}

void SharedAxisController::take(int tag, const SeriesReply& reply) {
    Query& query = tag == WindowTag ? m_windowQuery : m_overviewQuery;
    query.underway = false;
    if (!reply.error.isEmpty())
        emit failed(reply.error);
    if (reply.request.axis == m_axis) {
        StepTimeTable clock = clockOf(reply);
        takeTable(tag, reply);
        if (tag == WindowTag) {
            m_lastAnswerMs = reply.tookNs / 1'000'000;
            m_windowVersion = reply.stepsVersion;
            m_clock.setPart(std::move(clock));
            emit windowData(reply);
        } else {
            m_clock.setWhole(std::move(clock));
            m_hasOverview = true;
            emit overviewData(reply);
        }
        applyTable();
    } else {
        query.dirty = true;
    }
    if (m_windowQuery.dirty || m_overviewQuery.dirty)
        scheduleRequest(m_windowQuery.dirty ? static_cast<int>(std::min<qint64>(m_lastAnswerMs, 300)) : 200);
}

void SharedAxisController::zoom(double centre, double factor) {
    emit aboutToMove();
    const bool atEnd = m_window.hi >= m_whole.hi - 1e-9;
    PlotRange window = zoomed(m_window, centre, factor, m_whole, minWidth());
    if (isFollowing() && atEnd) // the end keeps its place
        window = following(window, m_whole);
    moved(window);
}

/// Handles a move by the user. A window that ends at the run's end follows the run; any other does not.
void SharedAxisController::moved(PlotRange window) {
    m_all = window == m_whole;
    m_sinceMove.start();
    m_stepsToShow.reset();
    setWindow(window);
    if (m_session)
        m_session->following().set(window.hi >= m_whole.hi - 1e-9);
}

void SharedAxisController::pan(double delta) {
    const PlotRange window = panned(m_window, delta, m_whole);
    if (window == m_window)
        return;
    emit aboutToMove();
    moved(window);
}

void SharedAxisController::show(PlotRange range) {
    emit aboutToMove();
    moved(clamped(range, m_whole, minWidth()));
}

void SharedAxisController::showAll() {
    emit aboutToMove();
    moved(m_whole);
}

void SharedAxisController::followingChanged(bool on) {
    if (on)
        setWindow(m_all ? m_whole : following(m_window, m_whole));
    else
        m_all = m_all && !isLive(); // the whole of a live run would follow it
    emit followChanged(on);
}

double SharedAxisController::samplesPerStep() const {
    const double steps = m_samples ? m_samples->lastStep() + 1 : 0;
    return steps > 0 ? std::max(1.0, m_samples->total() / steps) : 1;
}

double SharedAxisController::minWidth() const {
    return m_axis == CurveAxis::Time ? 0.05 : m_axis == CurveAxis::SampleCount ? 4 * samplesPerStep() : 4;
}

double SharedAxisController::surroundings() const {
    return m_axis == CurveAxis::Time ? 5 : m_axis == CurveAxis::SampleCount ? 15 * samplesPerStep() : 15;
}

PlotRange SharedAxisController::wholeOf(std::int64_t firstStep, std::int64_t lastStep, std::int64_t lastNs) const {
    if (m_axis == CurveAxis::Time)
        return {0, std::max(1.0, static_cast<double>(lastNs) * 1e-9)};
    if (m_axis == CurveAxis::SampleCount)
        return {0, m_samples && m_samples->total() > 0 ? m_samples->total() + samplesPerStep() / 2 : 1};
    return {static_cast<double>(firstStep) - 0.5, std::max(0.0, static_cast<double>(lastStep)) + 0.5};
}

/// Keeps the newest table; of two with the same version, the window's, which is finer there.
void SharedAxisController::takeTable(int tag, const SeriesReply& reply) {
    if (!reply.samples || (m_samples && tag != WindowTag && reply.stepsVersion <= m_samplesVersion))
        return;
    m_samples = reply.samples;
    m_samplesVersion = reply.stepsVersion;
}

void SharedAxisController::applyTable() {
    if (m_axis != CurveAxis::SampleCount || !m_samples)
        return;
    if (const auto steps = std::exchange(m_stepsToShow, std::nullopt); steps && !m_all)
        m_window = {placeOf(steps->lo), placeOf(steps->hi)};
    updateWhole();
}

double SharedAxisController::stepOf(double x) const {
    if (m_axis == CurveAxis::Time)
        return m_clock.stepAt(static_cast<std::int64_t>(x * 1e9));
    if (m_axis == CurveAxis::SampleCount)
        return m_samples ? m_samples->stepAt(x) : 0;
    return x;
}

double SharedAxisController::placeOf(double step) const {
    if (m_axis == CurveAxis::Time)
        return static_cast<double>(m_clock.timeOf(step)) * 1e-9;
    if (m_axis == CurveAxis::SampleCount)
        return m_samples ? m_samples->at(step) : 0;
    return step;
}

double SharedAxisController::placeOfOpenStep(std::int64_t step) const {
    return m_axis == CurveAxis::Step ? static_cast<double>(step) : m_whole.hi;
}

PlotRange SharedAxisController::spanOf(const diagnosis::Incident& in) const {
    const RunView& view = m_session->view();
    if (m_axis == CurveAxis::Time) {
        const PlotRange time = timeOfIncident(in, view);
        return {time.lo * 1e-9, time.hi * 1e-9};
    }
    const PlotRange steps = stepsOfIncident(in, view, m_clock);
    PlotRange span{placeOf(steps.lo), placeOf(steps.hi)};
    if (m_axis == CurveAxis::SampleCount) // how much a step in progress will add is not known
        span.hi = std::max(span.hi, std::min(span.lo + samplesPerStep(), m_whole.hi));
    return span;
}

double SharedAxisController::widthOfTime(double ns) const {
    if (m_axis == CurveAxis::Time)
        return ns * 1e-9;
    const double begin = std::max(m_whole.lo, placeOf(m_clock.stepAt(0))); // earlier runs have other times
    const auto lasted = static_cast<double>(timeOf(stepOf(m_whole.hi)) - timeOf(stepOf(begin)));
    return lasted > 0 ? (m_whole.hi - begin) * ns / lasted : 0;
}

QList<IncidentSpan> SharedAxisController::spans() const {
    QList<IncidentSpan> spans;
    if (!m_session || (m_axis == CurveAxis::SampleCount && !m_samples))
        return spans;
    const RunView& view = m_session->view();
    spans = earlierSpans(chain());
    for (const auto& in : view.incidents) {
        const PlotRange span = spanOf(in);
        spans.append({in.id, span.lo, span.hi, in.closed == diagnosis::CloseReason::Open,
                      widthOfTime(timeOfIncident(in, view).width()), in.cause == diagnosis::Cause::Paused, in.holders});
    }
    return spans;
}

void SharedAxisController::setAxis(CurveAxis axis) {
    if (axis == m_axis)
        return;
    const PlotRange steps{stepOf(m_window.lo), stepOf(m_window.hi)};
    m_axis = axis;
    m_window = {placeOf(steps.lo), placeOf(steps.hi)};
    m_stepsToShow.reset();
    if (axis == CurveAxis::SampleCount && !m_samples)
        m_stepsToShow = steps; // applied once the table is there
    m_windowVersion = -1;
    m_sinceOverview.invalidate();
    updateWhole();
    dataChanged();
}

void SharedAxisController::showStep(std::int64_t step) {
    const auto at = static_cast<double>(step);
    if (m_axis == CurveAxis::Time)
        show({placeOf(at) - 10, placeOf(at) + 10});
    else
        showStepRange({at - 20, at + 20});
}

void SharedAxisController::showSteps(std::int64_t first, std::int64_t last) {
    showStepRange({static_cast<double>(first) - 0.5, static_cast<double>(last) + 0.5});
}

void SharedAxisController::showTime(std::int64_t fromNs, std::int64_t toNs) {
    if (m_axis == CurveAxis::Time)
        show({static_cast<double>(fromNs) * 1e-9, static_cast<double>(toNs) * 1e-9});
    else
        showStepRange({m_clock.stepAt(fromNs), m_clock.stepAt(toNs)});
}

void SharedAxisController::showLinkedTime(std::int64_t fromNs, std::int64_t toNs) {
    if (!isFollowing())
        return showTime(fromNs, toNs);
    const double from =
        m_axis == CurveAxis::Time ? static_cast<double>(fromNs) * 1e-9 : placeOf(m_clock.stepAt(fromNs));
    const PlotRange window = clamped({from, m_whole.hi}, m_whole, minWidth());
    m_all = window == m_whole;
    setWindow(window);
}

void SharedAxisController::showLinkedAll() {
    m_all = true;
    m_stepsToShow.reset();
    setWindow(m_whole);
}

void SharedAxisController::showStepRange(PlotRange steps) {
    if (m_axis == CurveAxis::SampleCount && !m_samples) { // applied once the table is there
        emit aboutToMove();
        m_all = false;
        m_stepsToShow = steps;
        return;
    }
    show({placeOf(steps.lo), placeOf(steps.hi)});
}

store::StepInterval SharedAxisController::stepsOf(PlotRange range) const {
    const PlotRange steps{stepOf(range.lo), stepOf(range.hi)};
    const double almost = m_axis == CurveAxis::SampleCount ? kAlmost : 0;
    const auto whole = [](double x) { return static_cast<std::int64_t>(std::clamp(x, 0.0, 1e15)); };
    const std::int64_t first = whole(std::ceil(steps.lo - almost)), last = whole(std::floor(steps.hi + almost));
    return last < first ? store::StepInterval{last, last} : store::StepInterval{first, last};
}

std::int64_t SharedAxisController::stepNear(double x) const {
    std::int64_t last = 0;
    if (m_session)
        for (const auto& s : m_session->view().summaries)
            last = std::max(last, s.lastStep);
    return std::clamp<std::int64_t>(std::llround(stepOf(x)), 0, last);
}

double SharedAxisController::placeOfTime(std::int64_t ns) const {
    return m_axis == CurveAxis::Time ? static_cast<double>(ns) * 1e-9 : placeOf(m_clock.stepAt(ns));
}

std::int64_t SharedAxisController::stepAtTime(std::int64_t ns) const {
    return std::max<std::int64_t>(0, std::llround(m_clock.stepAt(ns)));
}

PlotRange SharedAxisController::secondsOfWindow() const {
    if (m_axis == CurveAxis::Time)
        return m_window;
    return {static_cast<double>(timeOf(stepOf(m_window.lo))) * 1e-9,
            static_cast<double>(timeOf(stepOf(m_window.hi))) * 1e-9};
}

} // namespace rankscope::ui
