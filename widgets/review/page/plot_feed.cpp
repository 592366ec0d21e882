// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/review/page/plot_feed.h"

#include "core/diagnosis/evidence/incident_sentence.h"
#include "widgets/models/run/run_session.h"
#include "widgets/models/text/text_format.h"
#include "widgets/plots/overview/overview_strip.h"
#include "widgets/review/annotations/annotation_model.h"
#include "widgets/review/page/plot_stack.h"
#include "widgets/review/series/run_series.h"
#include "widgets/theme/theme.h"

#include <algorithm>
#include <cmath>

namespace rankscope::ui {

namespace {
constexpr int kFollowHeldMs = 80; ///< longest wait for the step's figures
constexpr int kHeldMs = 30;       ///< longest wait for a frame that would show it
} // namespace

PlotFeed::PlotFeed(PlotStack* stack, OverviewStrip* strip, PlotExtras* extras, QObject* parent)
    : QObject(parent), m_stack(stack), m_strip(strip), m_controller({}), m_resources(m_controller),
      m_tags(m_controller, *extras) {
    connect(stack, &PlotStack::added, this, &PlotFeed::addPlot);
    connect(stack, &PlotStack::removed, this, [this](RankPlot* plot) {
        m_resources.remove(plot);
        m_tags.remove(plot);
    });
    connect(stack, &PlotStack::changed, this, &PlotFeed::plotsChanged);
    connect(stack, &PlotStack::resized, this, [this] { m_controller.setPixelWidth(m_stack->plotsWidth()); });
    connect(strip, &OverviewStrip::windowChanged, &m_controller, &SharedAxisController::show);
    connect(strip, &OverviewStrip::reset, &m_controller, &SharedAxisController::showAll);
    connect(&m_controller, &SharedAxisController::rangesChanged, this, &PlotFeed::updateRanges);
    connect(&m_controller, &SharedAxisController::windowData, this, &PlotFeed::takeWindow);
    connect(&m_controller, &SharedAxisController::windowData, this,
            &PlotFeed::requestResources); // its times are known by then
    connect(&m_controller, &SharedAxisController::overviewData, this, &PlotFeed::takeOverview);
    connect(&m_controller, &SharedAxisController::windowAsked, this,
            [this](const SeriesRequest& request) { m_tags.ask(request, rankCount(), m_stack->plotsWidth()); });
    m_heldTimer.setSingleShot(true);
    connect(&m_heldTimer, &QTimer::timeout, this, &PlotFeed::showPending);
    connect(extras, &PlotExtras::read, this, [this](const ExtrasPtr& read) {
        m_extras = read;
        updateMarks();
    });
    connect(&m_resources, &ResourcePlots::failed, this, &PlotFeed::failed);
    connect(&m_tags, &TagPlots::failed, this, &PlotFeed::failed);
    connect(&Theme::instance(), &Theme::changed, this, &PlotFeed::updateSpans);
}

static Samples bandOf(const std::vector<Samples>& ranks) {
    std::vector<const Samples*> all;
    all.reserve(ranks.size());
    for (const auto& samples : ranks)
        all.push_back(&samples);
    return bandAcross(all);
}

int PlotFeed::rankCount() const {
    return m_session ? static_cast<int>(m_session->view().ranks.size()) : 0;
}

void PlotFeed::addPlot(RankPlot* plot, const PlotSeries& series) {
    const auto* gestures = plot->gestures();
    connect(gestures, &PlotGestures::zoomed, &m_controller, &SharedAxisController::zoom);
    connect(gestures, &PlotGestures::panned, &m_controller, &SharedAxisController::pan);
    connect(gestures, &PlotGestures::boxed, &m_controller, &SharedAxisController::show);
    connect(gestures, &PlotGestures::reset, &m_controller, &SharedAxisController::showAll);
    connect(gestures, &PlotGestures::hovered, this, [this](std::optional<double> x) {
        for (const auto& pane : m_stack->panes())
            pane.plot->setCrosshair(x, true);
    });
    plot->gestures()->setSpanText([this](qint64 id) { return sentence(id); });
    plot->setAxis(m_controller.axis());
    plot->setRange(m_controller.window());
    if (m_session)
        plot->setJoints(jointsOf(m_controller.chain(), m_session->view()));
    if (series.resource)
        m_resources.add(plot, *series.resource);
    else if (series.isTag())
        m_tags.add(plot, series.tag);
    m_resourcesAdded |= series.resource.has_value();
    m_tagsAdded |= series.isTag();
}

void PlotFeed::plotsChanged() {
    updateLines();
    updateTitles();
    updateValidations();
    if (m_session)
        updateSpans();
    applyFilter();
    updateMarks();
    std::vector<store::Metric> metrics;
    for (const auto& pane : m_stack->panes())
        if (pane.series.isMetric())
            metrics.push_back(pane.series.metric);
    m_controller.setMetrics(std::move(metrics));
    if (std::exchange(m_tagsAdded, false))
        m_controller.requestAgain();
    if (std::exchange(m_resourcesAdded, false))
        requestResources();
}

void PlotFeed::setSession(RunSession* session) {
    m_session = session;
    m_choice = {};
    m_filter.reset();
    m_extras = std::make_shared<const ExtrasView>();
    m_selected = 0;
    dropPending();
    m_windowDrawn = false;
    for (const auto& pane : m_stack->panes()) {
        pane.plot->setSeries({});
        pane.plot->y()->setByHand(std::nullopt); // another run's values may be in another range
    }
    m_resources.setStore(session ? session->run().store() : std::filesystem::path());
    applyFilter();
    clearStrip();
    m_controller.setSession(session);
    updateMarks();
    updateOpenValues();
    updateChain();
    updateTitles();
    if (!session)
        updateValidations();
}

void PlotFeed::updateView() {
    applyAxis();
    updateChain();
    updateLines();
    updateSpans();
    updateOpenValues();
    updateValidations();
    updateTitles();
}

/// Moves the plots to the window. The window of a live run moves with each step, and is drawn in the same frame as the
/// step's figures.
void PlotFeed::updateRanges() {
    m_rangesHeld = true;
    if (!m_controller.isFollowing() || !m_windowDrawn || m_controller.isMoving())
        showPending();
    else if (!m_heldTimer.isActive())
        m_heldTimer.start(kFollowHeldMs);
}

void PlotFeed::applyRanges() {
    m_rangesHeld = false;
    for (const auto& pane : m_stack->panes())
        pane.plot->setRange(m_controller.window());
    m_strip->setRanges(m_controller.whole(), m_controller.window(), m_controller.minWidth());
    if (m_session)
        updateSpans();
    emit windowShown();
}

void PlotFeed::takeWindow(const SeriesReply& reply) {
    m_held.clear();
    for (std::size_t m = 0; m < reply.points.size() && m < reply.request.metrics.size(); ++m)
        m_held.emplace_back(reply.request.metrics[m], samplesOfChain(reply, m));
    if (!m_controller.isMoving() || !m_windowDrawn)
        showPending();
    else if (!m_heldTimer.isActive())
        m_heldTimer.start(kHeldMs);
}

void PlotFeed::showPending() {
    m_heldTimer.stop();
    if (m_rangesHeld)
        applyRanges();
    if (m_held.empty())
        return;
    for (auto& [metric, ranks] : std::exchange(m_held, {})) {
        if (metric == store::Metric::Loss)
            continueStrip(ranks);
        for (const auto& pane : m_stack->panes())
            if (pane.series.isMetric() && pane.series.metric == metric)
                pane.plot->setSeries(ranks);
    }
    showNothingText();
    m_windowDrawn = true;
    updateSpans();
    if (m_controller.axis() == CurveAxis::SampleCount)
        updateValidations(); // their places may be known more exactly now
    m_resources.place();
    applyFilter();
    updateMarks();
}

void PlotFeed::dropPending() {
    m_heldTimer.stop();
    m_held.clear();
}

void PlotFeed::showNothingText() {
    const PlotRange window = m_controller.window(), whole = m_controller.whole();
    const bool part = window.lo > whole.lo || window.hi < whole.hi;
    const bool live = m_session && launch::isLive(m_session->view().info.state);
    const QString text = part   ? tr("Nothing recorded in this part of the run")
                         : live ? tr("Nothing recorded so far")
                                : tr("Not recorded in this run");
    const bool known =
        std::ranges::any_of(m_stack->panes(), [](const PlotStack::Pane& pane) { return pane.plot->hasValues(); });
    for (const auto& pane : m_stack->panes()) {
        if (!pane.series.isMetric())
            continue;
        pane.plot->setNothingText(text);
        if (!part)
            m_stack->setFolded(pane.plot, !live && known && !pane.plot->hasValues());
    }
}

void PlotFeed::takeOverview(const SeriesReply& reply) {
    if (reply.points.empty())
        return;
    m_overview = bandOf(samplesOfChain(reply, 0));
    m_strip->setBand(continued(m_overview, m_newest));
    updateSpans();
}

void PlotFeed::continueStrip(const std::vector<Samples>& losses) {
    const auto isNewer = [end = m_overview.empty() ? 0 : m_overview.back().lastStep](const Samples& samples) {
        return !samples.empty() && samples.back().lastStep > end;
    };
    if (m_overview.empty() || std::ranges::none_of(losses, isNewer))
        return;
    m_newest = bandOf(losses);
    m_strip->setBand(continued(m_overview, m_newest));
}

void PlotFeed::clearStrip() {
    m_overview.clear();
    m_newest.clear();
    m_strip->setBand({});
}

bool PlotFeed::hasAxis(CurveAxis axis) const {
    // for a run without steps this is not known yet
    return axis != CurveAxis::SampleCount || !m_controller.hasSteps() || m_session->view().hasBatchSizes;
}

CurveAxis PlotFeed::nextAxis() const {
    const CurveAxis now = m_controller.axis();
    if (now == CurveAxis::Step)
        return CurveAxis::Time;
    return now == CurveAxis::Time && hasAxis(CurveAxis::SampleCount) ? CurveAxis::SampleCount : CurveAxis::Step;
}

void PlotFeed::setAxis(CurveAxis axis) {
    m_wantedAxis = axis;
    applyAxis();
}

void PlotFeed::applyAxis() {
    const CurveAxis axis = hasAxis(m_wantedAxis) ? m_wantedAxis : CurveAxis::Step;
    if (axis == m_controller.axis())
        return;
    for (const auto& pane : m_stack->panes()) {
        pane.plot->setSeries({}); // until the answer arrives, steps on an axis of seconds would be wrong
        pane.plot->setAxis(axis);
    }
    m_resources.clear();
    clearStrip();
    m_strip->setAxis(axis);
    dropPending();
    m_windowDrawn = false;
    m_controller.setAxis(axis);
    updateChain();
    updateValidations();
    applyFilter();
    updateMarks();
    emit axisChanged();
}

void PlotFeed::setWithChain(bool on) {
    m_controller.setWithChain(on);
    updateChain();
    updateSpans();
    updateValidations();
    updateMarks();
}

/// Updates the joints between resumed runs, and the marks if earlier runs have been shown or hidden.
void PlotFeed::updateChain() {
    const RunLineage* chain = m_controller.chain();
    const std::vector<ResumeMark> joints = m_session ? jointsOf(chain, m_session->view()) : std::vector<ResumeMark>{};
    std::vector<double> places;
    places.reserve(joints.size());
    for (const ResumeMark& joint : joints)
        places.push_back(joint.x);
    for (const auto& pane : m_stack->panes())
        pane.plot->setJoints(joints);
    m_strip->setJoints(places);
    emit chainUpdated();
    if (std::exchange(m_chainShown, chain) != chain)
        updateMarks();
}

void PlotFeed::setFilter(std::optional<store::StepInterval> steps) {
    m_filter = steps;
    applyFilter();
}

void PlotFeed::applyFilter() {
    std::optional<PlotRange> range;
    if (m_filter)
        range = PlotRange{m_controller.placeOf(static_cast<double>(m_filter->first) - 0.5),
                          m_controller.placeOf(static_cast<double>(m_filter->last) + 0.5)};
    for (const auto& pane : m_stack->panes())
        pane.plot->setFilter(range);
    m_strip->setFilter(range);
}

void PlotFeed::setChoice(const RankChoice& choice) {
    m_choice = choice;
    updateLines();
}

void PlotFeed::updateLines() {
    if (!m_session)
        return;
    const ShownLines lines = chooseLines(m_choice, m_session->view(), RankPlot::kMaxLines);
    for (const auto& pane : m_stack->panes())
        pane.plot->setLines(lines.ranks, lines.band);
}

void PlotFeed::select(qint64 incident) {
    m_selected = incident;
    updateSpans();
}

qint64 PlotFeed::stepIncident(int direction) {
    auto spans = m_controller.spans();
    if (spans.isEmpty())
        return 0;
    std::stable_sort(spans.begin(), spans.end(), [](const auto& a, const auto& b) { return a.lo < b.lo; });
    const auto at = std::find_if(spans.begin(), spans.end(), [this](const auto& s) { return s.id == m_selected; });
    const auto n = spans.size();
    const qsizetype next = at == spans.end() ? (direction > 0 ? 0 : n - 1) : (at - spans.begin() + direction + n) % n;
    const IncidentSpan& span = spans[next];
    const double margin = std::max((span.hi - span.lo) * 2, m_controller.surroundings());
    m_controller.show({span.lo - margin, span.hi + margin});
    select(span.id);
    return span.id;
}

QString PlotFeed::sentence(qint64 incident) const {
    if (!m_session)
        return {};
    if (incident < 0)
        return earlierSentence(m_session->view().chain.get(), incident);
    const auto& all = m_session->view().incidents;
    const auto it = std::ranges::find(all, incident, &diagnosis::Incident::id);
    return it == all.end() ? QString()
                           : toQString(diagnosis::sentence(*it, m_session->view().knownNs).text(currentLanguage()));
}

void PlotFeed::updateSpans() {
    const auto spans = m_controller.spans();
    for (const auto& pane : m_stack->panes())
        pane.plot->setSpans(spans, m_selected);
    m_strip->setSpans(spans, m_selected);
    updateUnwatched();
}

/// Marks in the plots of waits the time in which no supervisor watched the ranks.
void PlotFeed::updateUnwatched() {
    std::vector<PlotRange> ranges;
    if (m_session)
        for (const diagnosis::TimeSpan& time : m_session->view().unwatched)
            ranges.push_back({m_controller.placeOfTime(time.beginNs), m_controller.placeOfTime(time.endNs)});
    for (const auto& pane : m_stack->panes())
        if (pane.series.isMetric() && groupOf(pane.series.metric) == SeriesGroup::Waits)
            pane.plot->setUnwatched(ranges);
}

void PlotFeed::updateMarks() {
    std::vector<PlotMark> marks = earlierMarks(m_controller.chain());
    const auto place = [this](std::int64_t step, std::int64_t ns) {
        return m_controller.axis() == CurveAxis::Time ? static_cast<double>(ns) * 1e-9
                                                      : m_controller.placeOf(static_cast<double>(step));
    };
    for (const auto& c : m_extras->checkpoints) {
        const double x = place(c.step, c.endNs);
        marks.push_back(
            {PlotMark::PlotMarkKind::Checkpoint, 0, x, x, tr("Checkpoint after step %1").arg(countText(c.step))});
    }
    if (m_session)
        for (const auto& v : m_session->view().validations) {
            const double x = place(v.step, v.endNs);
            marks.push_back(
                {PlotMark::PlotMarkKind::Validation, 0, x, x,
                 tr("Validation after step %1: loss %2")
                     .arg(countText(v.step), v.known ? QString::number(v.loss, 'f', 4) : QStringLiteral("–"))});
        }
    for (const auto& a : m_extras->annotations) {
        const double lo = m_controller.placeOf(static_cast<double>(a.firstStep));
        const double hi = a.lastStep > a.firstStep ? m_controller.placeOf(static_cast<double>(a.lastStep)) : lo;
        marks.push_back({PlotMark::PlotMarkKind::Annotation, a.id, lo, hi, annotationTip(a)});
    }
    for (const auto& pane : m_stack->panes())
        pane.plot->setMarks(marks);
}

void PlotFeed::updateOpenValues() {
    const auto place = [this](std::int64_t step) { return m_controller.placeOfOpenStep(step); };
    for (const auto& pane : m_stack->panes())
        if (pane.series.isMetric())
            pane.plot->setOpenValues(m_session ? openValues(pane.series.metric, m_session->view(), place)
                                               : std::vector<OngoingValue>{});
}

/// Sets the titles and units. An older version added up overlapping waits of a step, which may then be longer than the
/// step.
void PlotFeed::updateTitles() {
    using store::Metric;
    const bool sums = m_session && m_session->view().waitsAreSums;
    const bool lossIsInNats = m_session && m_session->view().info.lossIsInNats();
    for (const auto& pane : m_stack->panes()) {
        const bool waits = pane.series.isMetric() && pane.series.metric >= Metric::WaitTotal &&
                           pane.series.metric <= Metric::WaitOther;
        const QString own = pane.series.title(), title = sums && waits ? tr("%1 (overlaps added up)").arg(own) : own;
        const QString unit = pane.series.unit(lossIsInNats);
        if (pane.plot->spec().title != title || pane.plot->spec().unit != unit)
            pane.plot->setTitle(title, unit);
    }
}

void PlotFeed::updateValidations() {
    for (const auto& pane : m_stack->panes())
        if (pane.series.isLoss())
            pane.plot->setReference(tr("validation"), m_session
                                                          ? validationCurve(m_controller.chain(), m_session->view(),
                                                                            m_controller.axis(), m_controller.samples())
                                                          : Samples{});
}

QString PlotFeed::rangeText() const {
    if (!m_controller.hasSteps())
        return {};
    const PlotRange w = m_controller.window();
    QString text;
    if (m_controller.axis() == CurveAxis::Time) {
        text = tr("%1 to %2")
                   .arg(durationText(static_cast<std::int64_t>(w.lo * 1e9)),
                        durationText(static_cast<std::int64_t>(w.hi * 1e9)));
    } else {
        const auto lo = static_cast<std::int64_t>(std::ceil(w.lo)), hi = static_cast<std::int64_t>(std::floor(w.hi));
        text = (m_controller.axis() == CurveAxis::SampleCount ? tr("samples %1 to %2") : tr("steps %1 to %2"))
                   .arg(countText(lo), countText(hi));
    }
    const bool left = m_session && launch::isLive(m_session->view().info.state) && !m_controller.follow();
    return left ? tr("%1 · not following").arg(text) : text;
}

std::optional<std::pair<qint64, qint64>> PlotFeed::seenSteps() const {
    if (m_controller.axis() == CurveAxis::Time || !m_controller.hasSteps())
        return {};
    const PlotRange window = m_controller.window();
    if (m_controller.axis() == CurveAxis::SampleCount) {
        const auto steps = m_controller.stepsOf(window);
        return std::pair<qint64, qint64>(steps.first, steps.last);
    }
    const double first = std::max(0.0, std::ceil(window.lo)), last = std::max(first, std::floor(window.hi));
    return std::pair(static_cast<qint64>(first), static_cast<qint64>(last));
}

launch::Annotation PlotFeed::newAnnotation(std::optional<double> x) const {
    launch::Annotation annotation;
    if (m_filter) {
        annotation.firstStep = m_filter->first;
        annotation.lastStep = m_filter->last;
    } else {
        const PlotRange w = m_controller.window();
        const auto crosshair = m_stack->panes().front().plot->crosshair();
        annotation.firstStep = annotation.lastStep =
            m_controller.stepNear(x ? *x : crosshair.value_or((w.lo + w.hi) / 2));
    }
    annotation.timeNs = m_controller.timeOf(static_cast<double>(annotation.firstStep));
    return annotation;
}

void PlotFeed::showAnnotated(const AnnotationItem& item) {
    constexpr std::int64_t kAroundNs = 10'000'000'000;
    if (item.lastStep > item.firstStep && item.firstStep >= 0)
        m_controller.showSteps(item.firstStep, item.lastStep);
    else if (item.firstStep >= 0)
        m_controller.showStep(item.firstStep);
    else
        m_controller.showTime(item.timeNs - kAroundNs, item.timeNs + kAroundNs);
}

void PlotFeed::requestResources() {
    if (m_session)
        m_resources.ask(rankCount(), m_stack->plotsWidth());
}

void PlotFeed::retranslate() {
    m_resources.place();
    showNothingText();
    updateTitles();
    updateMarks();
}

bool PlotFeed::isComplete() const {
    if (m_controller.hasSteps() && !m_windowDrawn)
        return false;
    return m_held.empty() && m_controller.isSettled() && !m_resources.isBusy() && m_stack->isDrawn();
}

} // namespace rankscope::ui
