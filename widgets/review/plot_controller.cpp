// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/review/plot_controller.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace rankscope::ui {

namespace {
constexpr int kOverviewPoints = 600;
constexpr int kMostPoints = 150'000; ///< over all ranks and metrics of one answer
constexpr double kMargin = 0.25;     ///< of the window, asked for on either side so that panning has something to show
constexpr qint64 kOverviewPeriodMs = 1000;
constexpr std::int64_t kAllSamples = 1'000'000'000'000'000;
} // namespace

PlotController::PlotController(std::vector<store::Metric> metrics, QObject* parent)
    : QObject(parent), m_metrics(std::move(metrics)) {
    m_askTimer.setSingleShot(true);
    connect(&m_askTimer, &QTimer::timeout, this, &PlotController::ask);
}

void PlotController::setSession(RunSession* session) {
    if (m_session)
        m_session->disconnect(this);
    m_session = session;
    m_windowQuery = m_overviewQuery = {};
    m_windowVersion = -1;
    m_fine = m_coarse = {};
    m_samples.reset();
    m_stepsToShow.reset();
    m_window = m_whole = m_axis == CurveAxis::Step ? PlotRange{-0.5, 0.5} : PlotRange{0, 1};
    m_all = true;
    m_follow = m_followWanted;
    m_sinceOverview.invalidate();
    emit followChanged(m_follow);
    if (!session)
        return;
    connect(session, &RunSession::viewChanged, this, &PlotController::updateWhole);
    connect(session, &RunSession::stepsChanged, this, &PlotController::dataChanged);
    connect(session, &RunSession::seriesReady, this, &PlotController::take);
    updateWhole();
    dataChanged();
}

void PlotController::setMetrics(std::vector<store::Metric> metrics) {
    if (metrics == m_metrics)
        return;
    m_metrics = std::move(metrics);
    m_windowVersion = -1;
    dataChanged();
}

void PlotController::setPixelWidth(int pixels) {
    if (pixels == m_pixels || pixels < 1)
        return;
    const bool finer = pixels > m_pixels;
    m_pixels = pixels;
    if (finer)
        dataChanged();
}

bool PlotController::hasSteps() const {
    return m_session && std::any_of(m_session->view().summaries.begin(), m_session->view().summaries.end(),
                                    [](const auto& s) { return s.lastStep >= 0; });
}

bool PlotController::isSettled() const {
    if (!m_session || !hasSteps())
        return true;
    const bool idle = !m_windowQuery.underway && !m_overviewQuery.underway;
    if (isLive())
        return m_windowVersion >= 0 && !m_coarse.empty();
    return idle && !m_windowQuery.dirty && !m_overviewQuery.dirty && m_windowVersion == m_session->view().stepsVersion;
}

bool PlotController::isLive() const {
    return m_session && launch::isLive(m_session->view().info.state);
}

void PlotController::updateWhole() {
    if (!m_session)
        return;
    const RunView& view = m_session->view();
    const bool live = isLive();
    std::int64_t firstStep = std::numeric_limits<std::int64_t>::max(), lastStep = -1, lastNs = 0;
    for (const auto& s : view.summaries) {
        if (s.firstStep >= 0) // a resumed run begins where the one before it ended
            firstStep = std::min(firstStep, s.firstStep);
        lastStep = std::max(lastStep, s.lastStep);
        lastNs = std::max(lastNs, s.lastNs);
    }
    if (live) {
        for (const auto& tile : view.ranks)
            lastStep = std::max(lastStep, tile.step);
        lastNs = std::max(lastNs, view.nowNs - view.info.startNs);
    }
    // the step in which a rank died was never recorded: its mark would lie outside
    if (std::any_of(view.incidents.begin(), view.incidents.end(), [&](const auto& in) { return in.step > lastStep; }))
        ++lastStep;
    m_whole = wholeOf(std::min(firstStep, std::max<std::int64_t>(0, lastStep)), lastStep, lastNs);
    PlotRange window = m_window;
    if (m_all)
        window = m_whole;
    else if (m_follow && isLive())
        window = following(window, m_whole);
    else
        window = clamped(window, m_whole, minWidth());
    setWindow(window);
}

void PlotController::setWindow(PlotRange window) {
    const bool moved = window != m_window;
    m_window = window;
    if (moved)
        m_windowQuery.dirty = true;
    emit rangesChanged();
    if (moved && !m_windowQuery.underway)
        askIn(12);
}

void PlotController::dataChanged() {
    m_windowQuery.dirty = m_overviewQuery.dirty = true;
    // a live run must not keep the reader busy all the time
    const qint64 since = m_askedAt.isValid() ? m_askedAt.elapsed() : 3 * m_lastAnswerMs;
    askIn(static_cast<int>(std::clamp<qint64>(3 * m_lastAnswerMs - since, 0, 1000)));
}

/// At the latest: what waits for longer, the overview, does not hold back what is due sooner.
void PlotController::askIn(int ms) {
    if (!m_askTimer.isActive() || m_askTimer.remainingTime() > ms)
        m_askTimer.start(ms);
}

void PlotController::ask() {
    if (!m_session || !hasSteps())
        return;
    const bool lacksTable = m_axis == CurveAxis::SampleCount && !m_samples;
    if (m_windowQuery.dirty && !m_windowQuery.underway && !lacksTable)
        askWindow();
    if (m_overviewQuery.dirty && !m_overviewQuery.underway) {
        if (!isLive() || lacksTable || !m_sinceOverview.isValid() || m_sinceOverview.elapsed() >= kOverviewPeriodMs)
            askOverview();
    }
}

void PlotController::askWindow() {
    m_windowQuery = {false, true};
    const double margin = m_window.width() * kMargin;
    const double lo = m_window.lo - margin, hi = m_window.hi + margin;
    const double unit = m_axis == CurveAxis::Time ? 1e9 : 1;
    const auto series = static_cast<int>(std::max<std::size_t>(1, m_metrics.size() * m_session->view().ranks.size()));
    SeriesRequest request;
    request.metrics = m_metrics;
    if (request.metrics.empty())
        request.metrics = {store::Metric::Loss}; // plots of an import's own series alone: the clock needs steps
    request.axis = m_axis;
    request.from = std::max<std::int64_t>(0, static_cast<std::int64_t>(std::floor(lo * unit)));
    request.to = std::max<std::int64_t>(0, static_cast<std::int64_t>(std::ceil(hi * unit)));
    request.maxPoints = std::clamp(kMostPoints / series, 50, std::max(50, m_pixels));
    m_askedAt.start();
    m_session->requestSeries(WindowTag, request);
    emit windowAsked(request);
}

void PlotController::askOverview() {
    m_overviewQuery = {false, true};
    m_sinceOverview.start();
    SeriesRequest request;
    request.metrics = {store::Metric::Loss};
    request.axis = m_axis;
    request.to = static_cast<std::int64_t>(std::ceil(m_whole.hi * (m_axis == CurveAxis::Time ? 1e9 : 1)));
    if (m_axis == CurveAxis::SampleCount)
        request.to = kAllSamples;
    const auto ranks = static_cast<int>(std::max<std::size_t>(1, m_session->view().ranks.size()));
    request.maxPoints = std::clamp(kMostPoints / 4 / ranks, 50, kOverviewPoints);
    m_session->requestSeries(OverviewTag, request);
}

StepClock PlotController::clockOf(const SeriesReply& reply) const {
    if (reply.points.empty() || reply.points.front().empty())
        return {};
    const auto& ranks = reply.points.front();
    const auto longest =
        std::max_element(ranks.begin(), ranks.end(), [](const auto& a, const auto& b) { return a.size() < b.size(); });
    return StepClock(*longest);
}

void PlotController::take(int tag, const SeriesReply& reply) {
    Query& query = tag == WindowTag ? m_windowQuery : m_overviewQuery;
    query.underway = false;
    if (!reply.error.isEmpty())
        emit failed(reply.error);
    if (reply.request.axis == m_axis) {
        StepClock clock = clockOf(reply);
        takeTable(tag, reply);
        if (tag == WindowTag) {
            m_lastAnswerMs = reply.tookNs / 1'000'000;
            m_windowVersion = reply.stepsVersion;
            m_fine = std::move(clock);
            const bool counted = m_axis == CurveAxis::SampleCount && m_samples;
            const auto step = [&](std::int64_t at) {
                return counted ? static_cast<std::int64_t>(m_samples->stepAt(static_cast<double>(at))) : at;
            };
            m_fineFrom = step(reply.request.from);
            m_fineTo = step(reply.request.to);
            emit windowData(reply);
        } else {
            m_coarse = std::move(clock);
            emit overviewData(reply);
        }
        applyTable();
    } else {
        query.dirty = true;
    }
    if (m_windowQuery.dirty || m_overviewQuery.dirty)
        askIn(m_windowQuery.dirty ? static_cast<int>(std::min<qint64>(m_lastAnswerMs, 300)) : 200);
}

void PlotController::zoom(double centre, double factor) {
    emit aboutToMove();
    const bool atEnd = m_window.hi >= m_whole.hi - 1e-9;
    PlotRange window = zoomed(m_window, centre, factor, m_whole, minWidth());
    if (m_follow && isLive() && atEnd) // following: the end stays where it is
        window = following(window, m_whole);
    m_all = window == m_whole;
    m_sinceMove.start();
    setWindow(window);
}

void PlotController::zoomCentre(double factor) {
    zoom((m_window.lo + m_window.hi) / 2, factor);
}

void PlotController::pan(double delta) {
    const PlotRange window = panned(m_window, delta, m_whole);
    if (window == m_window)
        return;
    emit aboutToMove();
    m_all = false;
    if (m_follow && window.hi < m_whole.hi)
        applyFollow(false);
    m_sinceMove.start();
    setWindow(window);
}

void PlotController::show(PlotRange range) {
    emit aboutToMove();
    const PlotRange window = clamped(range, m_whole, minWidth());
    m_all = window == m_whole;
    if (m_follow && window.hi < m_whole.hi)
        applyFollow(false);
    m_sinceMove.start();
    m_stepsToShow.reset();
    setWindow(window);
}

void PlotController::showAll() {
    emit aboutToMove();
    m_all = true;
    m_stepsToShow.reset();
    setWindow(m_whole);
}

void PlotController::setFollow(bool on) {
    m_followWanted = on;
    applyFollow(on);
}

void PlotController::applyFollow(bool on) {
    if (on == m_follow)
        return;
    m_follow = on;
    if (on)
        setWindow(m_all ? m_whole : following(m_window, m_whole));
    emit followChanged(on);
}

} // namespace rankscope::ui
