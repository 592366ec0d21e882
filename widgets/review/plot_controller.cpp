// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/review/plot_controller.h"

#include "widgets/theme/theme.h"

#include <algorithm>
#include <cmath>

namespace rankscope::ui {

namespace {
constexpr int kOverviewPoints = 600;
constexpr int kMostPoints = 150'000; ///< over all ranks and metrics of one answer
constexpr double kMargin = 0.25;     ///< of the window, asked for on either side so that panning has something to show
constexpr qint64 kOverviewPeriodMs = 1000;
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
    m_window = m_whole = m_byTime ? PlotRange{0, 1} : PlotRange{-0.5, 0.5};
    m_all = true;
    m_follow = m_followWanted;
    m_sinceOverview.invalidate();
    emit followChanged(m_follow);
    if (!session)
        return;
    connect(session, &RunSession::viewChanged, this, &PlotController::updateWhole);
    connect(session, &RunSession::storeChanged, this, &PlotController::dataChanged);
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
    return idle && !m_windowQuery.dirty && !m_overviewQuery.dirty && m_windowVersion == m_session->view().storeVersion;
}

bool PlotController::isLive() const {
    return m_session && launch::isLive(m_session->view().info.state);
}

double PlotController::minWidth() const {
    return m_byTime ? 0.05 : 4;
}

void PlotController::updateWhole() {
    if (!m_session)
        return;
    const RunView& view = m_session->view();
    const bool live = isLive();
    std::int64_t lastStep = -1, lastNs = 0;
    for (const auto& s : view.summaries) {
        lastStep = std::max(lastStep, s.lastStep);
        lastNs = std::max(lastNs, s.lastNs);
    }
    if (live) {
        for (const auto& tile : view.ranks)
            lastStep = std::max(lastStep, tile.step);
        lastNs = std::max(lastNs, view.nowNs - view.info.startNs);
    }
    m_whole = m_byTime ? PlotRange{0, std::max(1.0, static_cast<double>(lastNs) * 1e-9)}
                       : PlotRange{-0.5, std::max(0.0, static_cast<double>(lastStep)) + 0.5};
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
    if (m_windowQuery.dirty && !m_windowQuery.underway)
        askWindow();
    if (m_overviewQuery.dirty && !m_overviewQuery.underway) {
        if (!isLive() || !m_sinceOverview.isValid() || m_sinceOverview.elapsed() >= kOverviewPeriodMs)
            askOverview();
    }
}

void PlotController::askWindow() {
    m_windowQuery = {false, true};
    const double margin = m_window.width() * kMargin;
    const double lo = m_window.lo - margin, hi = m_window.hi + margin;
    const double unit = m_byTime ? 1e9 : 1;
    const auto series = static_cast<int>(std::max<std::size_t>(1, m_metrics.size() * m_session->view().ranks.size()));
    SeriesRequest request;
    request.metrics = m_metrics;
    if (request.metrics.empty())
        request.metrics = {store::Metric::Loss}; // plots of an import's own series alone: the clock needs steps
    request.byTime = m_byTime;
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
    request.byTime = m_byTime;
    request.to = static_cast<std::int64_t>(std::ceil(m_whole.hi * (m_byTime ? 1e9 : 1)));
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
    if (reply.request.byTime == m_byTime) {
        StepClock clock = clockOf(reply);
        if (tag == WindowTag) {
            m_lastAnswerMs = reply.tookNs / 1'000'000;
            m_windowVersion = reply.storeVersion;
            m_fine = std::move(clock);
            m_fineFrom = reply.request.from;
            m_fineTo = reply.request.to;
            emit windowData(reply);
        } else {
            m_coarse = std::move(clock);
            emit overviewData(reply);
        }
    } else {
        query.dirty = true;
    }
    if (m_windowQuery.dirty || m_overviewQuery.dirty)
        askIn(m_windowQuery.dirty ? static_cast<int>(std::min<qint64>(m_lastAnswerMs, 300)) : 200);
}

double PlotController::stepAt(std::int64_t ns) const {
    if (!m_fine.empty() && ns >= m_fine.timeOf(-1e18) && ns <= m_fine.timeOf(1e18))
        return m_fine.stepAt(ns);
    return m_coarse.empty() ? m_fine.stepAt(ns) : m_coarse.stepAt(ns);
}

std::pair<double, double> PlotController::spanOf(const diagnosis::Incident& in) const {
    const RunView& view = m_session->view();
    const bool open = in.closed == diagnosis::CloseReason::Open;
    const std::int64_t from = in.openedNs - view.info.startNs;
    const std::int64_t to = (open ? view.nowNs : in.closedNs) - view.info.startNs;
    if (m_byTime)
        return {static_cast<double>(from) * 1e-9, static_cast<double>(to) * 1e-9};
    double lo = stepAt(from), hi = stepAt(to);
    if (in.step >= 0) { // the step that it was seen in is certain, the clock of a bucket is not
        const auto step = static_cast<double>(in.step);
        lo = std::min(lo, step + 0.5);
        hi = std::max(hi, step - 0.5);
        if (hi - lo < 1)
            return {step - 0.5, step + 0.5};
    }
    return {lo, std::max(lo, hi)};
}

QList<IncidentSpan> PlotController::spans() const {
    QList<IncidentSpan> spans;
    if (!m_session)
        return spans;
    const RunView& view = m_session->view();
    for (const auto& in : view.incidents) {
        const auto [lo, hi] = spanOf(in);
        const QColor colour = in.holders.empty() ? Theme::instance().palette().holder
                                                 : Theme::instance().rankPen(in.holders.front()).color();
        spans.append({in.id, lo, hi, colour, in.closed == diagnosis::CloseReason::Open});
    }
    return spans;
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
    setWindow(window);
}

void PlotController::showAll() {
    emit aboutToMove();
    m_all = true;
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

void PlotController::setByTime(bool on) {
    if (on == m_byTime)
        return;
    const PlotRange old = m_window;
    m_byTime = on;
    const StepClock& clock = m_coarse.empty() ? m_fine : m_coarse;
    if (on)
        m_window = {static_cast<double>(clock.timeOf(old.lo)) * 1e-9, static_cast<double>(clock.timeOf(old.hi)) * 1e-9};
    else
        m_window = {clock.stepAt(static_cast<std::int64_t>(old.lo * 1e9)),
                    clock.stepAt(static_cast<std::int64_t>(old.hi * 1e9))};
    m_windowVersion = -1;
    m_fineTo = -1; // of the other axis
    m_sinceOverview.invalidate();
    updateWhole();
    dataChanged();
}

double PlotController::placeOf(double step) const {
    return m_byTime ? static_cast<double>((m_coarse.empty() ? m_fine : m_coarse).timeOf(step)) * 1e-9 : step;
}

void PlotController::showStep(std::int64_t step) {
    const double half = m_byTime ? 10 : 20;
    const double at = placeOf(static_cast<double>(step));
    show({at - half, at + half});
}

void PlotController::showSteps(std::int64_t first, std::int64_t last) {
    show({placeOf(static_cast<double>(first) - 0.5), placeOf(static_cast<double>(last) + 0.5)});
}

void PlotController::showTime(std::int64_t fromNs, std::int64_t toNs) {
    if (m_byTime)
        show({static_cast<double>(fromNs) * 1e-9, static_cast<double>(toNs) * 1e-9});
    else
        show({stepAt(fromNs), stepAt(toNs)});
}

store::StepInterval PlotController::stepsOf(PlotRange range) const {
    if (m_byTime)
        range = {stepAt(static_cast<std::int64_t>(range.lo * 1e9)), stepAt(static_cast<std::int64_t>(range.hi * 1e9))};
    const auto whole = [](double x) { return static_cast<std::int64_t>(std::clamp(x, 0.0, 1e15)); };
    const std::int64_t first = whole(std::ceil(range.lo)), last = whole(std::floor(range.hi));
    return last < first ? store::StepInterval{last, last} : store::StepInterval{first, last};
}

std::int64_t PlotController::stepNear(double x) const {
    const double step = m_byTime ? stepAt(static_cast<std::int64_t>(x * 1e9)) : x;
    std::int64_t last = 0;
    if (m_session)
        for (const auto& s : m_session->view().summaries)
            last = std::max(last, s.lastStep);
    return std::clamp<std::int64_t>(std::llround(step), 0, last);
}

std::int64_t PlotController::timeOf(double step) const {
    const bool fine = !m_fine.empty() && !m_byTime && step >= static_cast<double>(m_fineFrom) &&
                      step <= static_cast<double>(m_fineTo);
    return fine || m_coarse.empty() ? m_fine.timeOf(step) : m_coarse.timeOf(step);
}

PlotRange PlotController::secondsOfWindow() const {
    if (m_byTime)
        return m_window;
    return {static_cast<double>(timeOf(m_window.lo)) * 1e-9, static_cast<double>(timeOf(m_window.hi)) * 1e-9};
}

} // namespace rankscope::ui
