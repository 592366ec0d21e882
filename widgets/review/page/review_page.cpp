// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/review/page/review_page.h"

#include "widgets/controls/box_layout.h"
#include "widgets/models/run/run_session.h"
#include "widgets/models/text/text_format.h"
#include "widgets/plots/overview/overview_strip.h"
#include "widgets/review/annotations/annotation_bar.h"
#include "widgets/review/annotations/annotation_controller.h"
#include "widgets/review/annotations/annotation_pane.h"
#include "widgets/review/bars/filter_bar.h"
#include "widgets/review/bars/review_toolbar.h"
#include "widgets/review/board/rank_board.h"
#include "widgets/review/page/filter_controller.h"
#include "widgets/review/page/plot_exporter.h"
#include "widgets/review/page/plot_feed.h"
#include "widgets/review/page/plot_legend.h"
#include "widgets/review/page/plot_menu.h"
#include "widgets/review/page/plot_stack.h"
#include "widgets/run_end/checkpoint_pane.h"
#include "widgets/run_end/run_end_controller.h"
#include "widgets/run_end/run_end_pane.h"
#include "widgets/theme/language_change.h"
#include "widgets/theme/theme.h"
#include "widgets/waits/range_pane.h"
#include "widgets/waits/waits_pane.h"

#include <QLabel>
#include <QMenu>
#include <QScopedValueRollback>
#include <QStackedWidget>

#include <algorithm>
#include <cmath>

namespace rankscope::ui {

static constexpr qint64 kLiveExtrasMs = 5000; ///< how often new checkpoints of a live run are looked for

ReviewPage::ReviewPage(QWidget* parent) : QWidget(parent), m_extras(new PlotExtras(this)) {
    build();
    m_feed = new PlotFeed(m_plots, m_strip, m_extras, this);
    m_filters = new FilterController(m_filterBar, m_feed, this);
    m_annotations = new AnnotationController(m_annotationBar, m_annotationPane, m_extras, this);
    m_exporter = new PlotExporter(this, m_plots, m_feed, m_filters);
    m_plotMenu = new PlotMenu(this, {m_plots, m_feed, m_filters, m_annotations, m_exporter});
    m_ending = new RunEndController(m_endingPane, m_checkpoints, this);
    makePanesMenu();
    connectParts();
    m_plots->restore({});
    m_toolbar->setFollow(follow());
    retranslate();
    onLanguageChange(this, [this] { retranslate(); });
}

ReviewPage::~ReviewPage() = default;

void ReviewPage::build() {
    m_stack = new QStackedWidget(this);
    setLayout(columnOf({m_stack}));
    m_empty = new QLabel;
    m_empty->setAlignment(Qt::AlignCenter);
    m_empty->setWordWrap(true);
    m_empty->setForegroundRole(QPalette::PlaceholderText);
    m_stack->addWidget(m_empty);
    auto* content = new QWidget;
    m_stack->addWidget(content);
    m_notice = new QLabel;
    m_notice->setWordWrap(true);
    m_notice->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_notice->setContentsMargins(12, 6, 12, 6);
    m_notice->hide();
    content->setLayout(columnOf({m_notice,
                                 m_endingPane = new RunEndPane,
                                 m_board = new RankBoard,
                                 m_toolbar = new ReviewToolbar,
                                 m_filterBar = new FilterBar,
                                 m_annotationBar = new AnnotationBar,
                                 {m_plots = new PlotStack, 1},
                                 new PlotLegend(m_plots),
                                 m_strip = new OverviewStrip,
                                 m_statistics = new RangePane,
                                 m_waits = new WaitsPane,
                                 m_checkpoints = new CheckpointPane,
                                 m_annotationPane = new AnnotationPane}));
    for (QWidget* pane : std::initializer_list<QWidget*>{m_statistics, m_waits, m_checkpoints, m_annotationPane})
        pane->hide();
    m_waiting = new QLabel(content);
    m_waiting->setAutoFillBackground(true); // covers plots that have nothing to show
    m_waiting->setAlignment(Qt::AlignCenter);
    m_waiting->setWordWrap(true);
    m_waiting->setForegroundRole(QPalette::PlaceholderText);
    m_waiting->hide();
}

void ReviewPage::makePanesMenu() {
    QMenu* menu = m_toolbar->panes();
    for (int i = 0; i < ReviewLayout::PaneCount; ++i) {
        auto* action = menu->addAction(QString());
        action->setCheckable(true);
        action->setChecked(m_shown[static_cast<std::size_t>(i)]);
        connect(action, &QAction::toggled, this, [this, i](bool on) { setPaneShown(i, on); });
    }
    menu->addSeparator();
    m_chainAction = menu->addAction(QString());
    m_chainAction->setObjectName(QStringLiteral("withWhatCameBefore"));
    m_chainAction->setCheckable(true);
    m_chainAction->setChecked(m_feed->controller().isWithChain());
    connect(m_chainAction, &QAction::toggled, this, &ReviewPage::setWithChain);
    menu->addSeparator();
    m_addMenu = menu->addMenu(QString());
    connect(m_addMenu, &QMenu::aboutToShow, this, [this] { m_plotMenu->fillAddMenu(m_addMenu); });
}

void ReviewPage::connectParts() {
    SharedAxisController& controller = m_feed->controller();
    connect(&controller, &SharedAxisController::failed, this, &ReviewPage::message);
    connect(&controller, &SharedAxisController::followChanged, this, [this](bool on) {
        m_toolbar->setFollow(on);
        updateRangeText();
        emit switchesChanged();
    });
    connect(&controller, &SharedAxisController::aboutToMove, this, [this] {
        if (m_linked)
            return;
        m_isOwnWindow = true;
        m_filters->pushHistory(ViewHistory::ViewChange::Move);
    });
    connect(m_feed, &PlotFeed::windowShown, this, &ReviewPage::showWindow);
    connect(m_feed, &PlotFeed::axisChanged, this, &ReviewPage::switchesChanged);
    connect(m_feed, &PlotFeed::chainUpdated, this, &ReviewPage::updateChain);
    connect(m_feed, &PlotFeed::failed, this, &ReviewPage::failed);
    connect(m_strip, &OverviewStrip::incidentClicked, this, &ReviewPage::clickIncident);
    connect(m_plots, &PlotStack::added, this, &ReviewPage::connectPlot);
    connect(m_plots, &PlotStack::outliersChanged, this,
            [this] { m_toolbar->setIgnoreOutliers(m_plots->ignoresOutliers()); });
    connect(m_plots, &PlotStack::resized, this, &ReviewPage::updateWaiting);
    connect(m_plots, &PlotStack::message, this, &ReviewPage::message);
    connect(m_filters, &FilterController::filterChanged, this, [this] {
        const auto& filter = m_filters->filter();
        m_feed->setFilter(filter);
        requestFigures();
        emit filterChanged(filter ? filter->first : -1, filter ? filter->last : -1);
    });
    connect(m_filters, &FilterController::choiceChanged, this, [this] {
        m_board->setChoice(m_filters->choice());
        m_feed->setChoice(m_filters->choice());
    });
    connect(m_filters, &FilterController::axisWanted, this, &ReviewPage::setAxis);
    connect(m_filters, &FilterController::message, this, &ReviewPage::message);
    connect(m_annotations, &AnnotationController::message, this, &ReviewPage::message);
    connect(m_annotations, &AnnotationController::plotsRequested, this, &ReviewPage::showAnnotated);
    connect(m_annotationPane, &AnnotationPane::closeRequested, this, [this] { showAnnotations(false); });
    connect(m_plotMenu, &PlotMenu::annotateRequested, this, &ReviewPage::annotateAt);
    connect(m_exporter, &PlotExporter::message, this, &ReviewPage::message);
    connect(m_exporter, &PlotExporter::failed, this, &ReviewPage::failed);
    connect(m_extras, &PlotExtras::failed, this, &ReviewPage::failed);
    connect(m_ending, &RunEndController::checkpointsRequested, this, [this] { showCheckpoints(!checkpointsShown()); });
    connect(m_checkpoints, &CheckpointPane::closeRequested, this, [this] { showCheckpoints(false); });
    connect(m_board, &RankBoard::soloClicked, this,
            [this](int rank) { m_filters->setSolo(m_filters->choice().solo == rank ? -1 : rank); });
    connect(m_board, &RankBoard::muteClicked, this,
            [this](int rank) { m_filters->changeChoice([rank](RankChoice& c) { c.toggleMute(rank); }); });
    connect(m_board, &RankBoard::pinClicked, this,
            [this](int rank) { m_filters->changeChoice([rank](RankChoice& c) { c.togglePin(rank); }); });
    connect(m_board, &RankBoard::logRequested, this, [this](int rank) { emit logRequested(rank, -1); });
    connect(m_toolbar, &ReviewToolbar::followToggled, &controller, &SharedAxisController::setFollow);
    connect(m_toolbar, &ReviewToolbar::smoothingToggled, this, &ReviewPage::setSmoothing);
    connect(m_toolbar, &ReviewToolbar::smoothingHalfLifeChosen, this, &ReviewPage::setSmoothingHalfLife);
    connect(m_toolbar, &ReviewToolbar::ignoreOutliersToggled, m_plots, &PlotStack::setIgnoreOutliers);
    connect(m_toolbar, &ReviewToolbar::logScaleToggled, this, &ReviewPage::setLogScale);
    connect(m_toolbar, &ReviewToolbar::axisChosen, this, &ReviewPage::setAxis);
    connect(m_toolbar, &ReviewToolbar::zoomInClicked, this, &ReviewPage::zoomIn);
    connect(m_toolbar, &ReviewToolbar::zoomOutClicked, this, &ReviewPage::zoomOut);
    connect(m_toolbar, &ReviewToolbar::zoomAllClicked, this, &ReviewPage::zoomAll);
    connect(m_toolbar, &ReviewToolbar::previousIncidentClicked, this, &ReviewPage::previousIncident);
    connect(m_toolbar, &ReviewToolbar::nextIncidentClicked, this, &ReviewPage::nextIncident);
    connect(m_toolbar, &ReviewToolbar::exportClicked, this, &ReviewPage::exportPlots);
}

void ReviewPage::connectPlot(RankPlot* plot) {
    const auto* gestures = plot->gestures();
    connect(gestures, &PlotGestures::brushed, this,
            [this](PlotRange range) { m_filters->setFilter(m_feed->controller().stepsOf(range)); });
    connect(gestures, &PlotGestures::incidentClicked, this, &ReviewPage::clickIncident);
    connect(gestures, &PlotGestures::annotationClicked, m_annotations, &AnnotationController::edit);
    connect(gestures, &PlotGestures::menuRequested, this,
            [this, plot](QPoint at, std::optional<double> x, qint64 id) { m_plotMenu->popup(plot, at, x, id); });
}

void ReviewPage::retranslate() {
    m_empty->setText(tr("<b>No run is shown</b><br><br>Choose a run on the left, open a run's folder, or launch "
                        "one from the Configure page."));
    const std::array names{tr("Rank board"),  tr("Overview strip"),          tr("Who waits for whom"),
                           tr("Checkpoints"), tr("Statistics of the range"), tr("Annotations")};
    for (int i = 0; i < ReviewLayout::PaneCount; ++i)
        m_toolbar->panes()->actions().at(i)->setText(names[static_cast<std::size_t>(i)]);
    m_addMenu->setTitle(tr("Add a plot"));
    m_chainAction->setText(tr("Include earlier runs"));
    m_board->viewport()->update();
    m_feed->retranslate();
    m_filters->retranslate();
    updateRangeText();
    m_ending->retranslate();
    if (m_session)
        m_session->refresh(); // updates tiles and sentences
}

void ReviewPage::setSession(RunSession* session) {
    if (m_session)
        m_session->disconnect(this);
    m_session = session;
    m_filters->clear();
    m_board->setChoice({});
    m_annotations->clear();
    m_extras->clear();
    m_publishedRange = {0, -1};
    m_isOwnWindow = true;
    m_waits->clear();
    m_statistics->clear();
    m_feed->setSession(session);
    m_exporter->setSession(session);
    m_ending->setSession(session);
    m_stack->setCurrentIndex(session ? 1 : 0);
    updateOpenWaits();
    if (!session)
        return;
    m_extras->setRun(session->run());
    m_sinceExtras.invalidate();
    loadExtras();
    connect(session, &RunSession::viewChanged, this, &ReviewPage::updateView);
    updateView();
}

void ReviewPage::updateView() {
    const RunView& view = m_session->view();
    m_board->setView(view);
    m_toolbar->setFollowEnabled(launch::isLive(view.info.state));
    m_feed->updateView();
    updateAxisButtons();
    updateNotice(view);
    updateWaiting();
    updateOpenWaits();
    loadExtras();
}

void ReviewPage::updateAxisButtons() {
    m_toolbar->setSamplesEnabled(hasAxis(CurveAxis::SampleCount));
    m_toolbar->setAxis(axis());
}

void ReviewPage::updateChain() {
    const RunLineage* chain = m_feed->controller().chain();
    m_chainAction->setEnabled(m_session && m_session->view().chain);
    const std::size_t own = m_session ? m_session->view().incidents.size() : 0;
    m_toolbar->setIncidents(static_cast<int>(own + (chain ? chain->incidentCount() : 0)));
}

void ReviewPage::updateOpenWaits() {
    const SharedAxisController& controller = m_feed->controller();
    const auto& filter = m_filters->filter();
    std::vector<diagnosis::OpenWait> seen;
    if (m_session)
        for (const auto& wait : m_session->view().openWaits)
            if (filter ? wait.step >= filter->first && wait.step <= filter->last
                       : controller.window().contains(controller.placeOfOpenStep(wait.step)))
                seen.push_back(wait);
    m_waits->setOpenWaits(std::move(seen), m_session ? m_session->view().nowNs : 0);
}

void ReviewPage::updateNotice(const RunView& view) {
    const auto& palette = Theme::instance().palette();
    QStringList problems{view.problem, view.goneRealtimeNs == 0 ? view.chainProblem : QString()};
    problems.removeAll(QString());
    const QString text = problems.join(QLatin1Char('\n'));
    m_notice->setVisible(!text.isEmpty());
    if (text == m_notice->text())
        return;
    m_notice->setText(text);
    m_notice->setStyleSheet(QStringLiteral("background:%1;color:%2;").arg(palette.raised.name(), palette.text.name()));
}

void ReviewPage::updateWaiting() {
    if (!m_session)
        return;
    const RunView& view = m_session->view();
    const bool none = !m_feed->controller().hasSteps();
    m_waiting->setVisible(none);
    if (!none)
        return;
    m_waiting->setText(
        view.nowNs != 0 && view.info.worldSize == 0 && launch::isLive(view.info.state)
            ? tr("Waiting for the first rank… It is seen as soon as it has set up its process group or trains alone.")
        : view.nowNs != 0 && view.info.worldSize == 0 ? QString() // the notice gives the reason
        : view.nowNs == 0                             ? tr("Reading the run…")
        : launch::isLive(view.info.state) ? tr("The ranks are starting. Curves will appear after the first step.")
        : !view.problem.isEmpty()         ? tr("No curve of this run can be read; the notice above says why.")
        : m_ending->isShown() ? tr("No curves: this run ended before its first step. The reason is given above.")
                              : tr("No curves: this run ended before its first step. Its logs say why."));
    // the strip is covered too, as it has nothing to show either
    m_waiting->setGeometry(m_strip->isVisible() ? m_plots->geometry().united(m_strip->geometry())
                                                : m_plots->geometry());
    m_waiting->raise();
}

void ReviewPage::updateRangeText() {
    m_toolbar->setRangeText(m_feed->rangeText());
}

/// Informs the other panes and pages about the plots' current window.
void ReviewPage::showWindow() {
    updateRangeText();
    requestFigures();
    if (!m_session || !hasSteps())
        return;
    const SharedAxisController& controller = m_feed->controller();
    emit rangeChanged(controller.window(), controller.axis());
    const PlotRange seconds = controller.secondsOfWindow();
    if (seconds == m_publishedRange || seconds.width() <= 0) // the steps' times are not known yet
        return;
    m_publishedRange = seconds;
    if (m_isOwnWindow)
        emit windowChanged(seconds.lo, seconds.hi);
}

/// Requests waits and statistics of the filter, or of the visible part of the run, by whole steps.
void ReviewPage::requestFigures() {
    if (!m_session || !hasSteps()) {
        m_waits->clear();
        return m_statistics->clear();
    }
    if (const auto& filter = m_filters->filter())
        return requestRange({storeAt(filter->last), false, filter->first, filter->last, true});
    const SharedAxisController& controller = m_feed->controller();
    const PlotRange w = controller.window();
    if (controller.axis() == CurveAxis::SampleCount) {
        const auto steps = controller.stepsOf(w);
        return requestRange({m_session->run().store(), false, steps.first, steps.last});
    }
    const bool byTime = controller.axis() == CurveAxis::Time;
    const auto store = byTime ? m_session->run().store() : storeAt(static_cast<std::int64_t>(std::floor(w.hi)));
    const double scale = byTime ? 1e9 : 1;
    const auto whole = [](double value) { return static_cast<std::int64_t>(std::clamp(value, -1.0, 9e18)); };
    requestRange({store, byTime, whole(std::ceil(w.lo * scale)), whole(std::floor(w.hi * scale))});
}

void ReviewPage::requestRange(const WaitsRequest& request) {
    m_waits->setRequest(request);
    m_statistics->setRequest(request);
}

/// Returns the store of an earlier run if the requested steps end before the opened run began.
std::filesystem::path ReviewPage::storeAt(std::int64_t lastStep) const {
    const RunLineage* chain = m_feed->controller().chain();
    const ChainPart* part = chain ? chain->partAt(lastStep) : nullptr;
    return part ? part->run.store() : m_session->run().store();
}

void ReviewPage::loadExtras() {
    if (m_session->view().goneRealtimeNs != 0)
        return;
    const bool live = launch::isLive(m_session->view().info.state);
    const bool ended = m_wasLive && !live;
    m_wasLive = live;
    if (!m_sinceExtras.isValid() || ended || (live && m_sinceExtras.elapsed() > kLiveExtrasMs)) {
        m_sinceExtras.start();
        m_extras->load();
    }
}

bool ReviewPage::isComplete() const {
    if (!m_session)
        return true;
    const RunView& view = m_session->view();
    if (view.nowNs == 0)
        return false;
    if (view.info.state == launch::RunState::Lost && view.problem.isEmpty())
        return false; // an update is in progress
    return m_feed->isComplete() && m_ending->isComplete() && m_waits->isComplete() && m_statistics->isComplete() &&
           !m_extras->isBusy();
}

bool ReviewPage::hasSteps() const {
    return m_feed->controller().hasSteps();
}

bool ReviewPage::follow() const {
    return m_feed->controller().follow();
}

bool ReviewPage::logScale() const {
    return m_plots->logScale();
}

bool ReviewPage::smoothing() const {
    return m_plots->smoothing();
}

CurveAxis ReviewPage::axis() const {
    return m_feed->controller().axis();
}

bool ReviewPage::hasAxis(CurveAxis axis) const {
    return m_feed->hasAxis(axis);
}

void ReviewPage::setFollow(bool on) {
    m_feed->controller().setFollow(on);
}

void ReviewPage::setLogScale(bool on) {
    m_plots->setLogScale(on);
    m_toolbar->setLogScale(on);
    emit switchesChanged();
}

void ReviewPage::setSmoothing(bool on) {
    m_plots->setSmoothing(on);
    m_toolbar->setSmoothing(on);
    emit switchesChanged();
}

/// Changing the strength also turns smoothing on.
void ReviewPage::setSmoothingHalfLife(double steps) {
    m_plots->setSmoothingHalfLife(steps);
    if (!smoothing())
        setSmoothing(true);
}

void ReviewPage::setAxis(CurveAxis axis) {
    if (!hasAxis(axis))
        emit message(ReviewToolbar::noSamplesText());
    m_feed->setAxis(axis);
    updateAxisButtons();
}

void ReviewPage::nextAxis() {
    const CurveAxis now = axis();
    if (now == CurveAxis::Step)
        setAxis(CurveAxis::Time);
    else
        setAxis(now == CurveAxis::Time && hasAxis(CurveAxis::SampleCount) ? CurveAxis::SampleCount : CurveAxis::Step);
}

void ReviewPage::setWithChain(bool on) {
    m_chainAction->setChecked(on);
    if (on == m_feed->controller().isWithChain())
        return;
    m_feed->setWithChain(on);
    emit switchesChanged();
}

void ReviewPage::setPaneShown(int pane, bool on) {
    const std::array<QWidget*, ReviewLayout::PaneCount> panes{m_board,       m_strip,      m_waits,
                                                              m_checkpoints, m_statistics, m_annotationPane};
    m_shown[static_cast<std::size_t>(pane)] = on;
    panes[static_cast<std::size_t>(pane)]->setVisible(on);
    m_toolbar->panes()->actions().at(pane)->setChecked(on);
    emit switchesChanged();
}

QByteArray ReviewPage::saveLayout() const {
    ReviewLayout layout;
    layout.shown = m_shown;
    m_plots->saveTo(layout);
    layout.withEarlierRuns = m_feed->controller().isWithChain();
    layout.axis = m_feed->wantedAxis();
    return layout.toBytes();
}

void ReviewPage::restoreLayout(const QByteArray& bytes) {
    const auto layout = ReviewLayout::fromBytes(bytes);
    for (int i = 0; i < ReviewLayout::PaneCount; ++i)
        setPaneShown(i, layout.shown[static_cast<std::size_t>(i)]);
    m_plots->restore(layout);
    m_toolbar->setSmoothingHalfLife(layout.smoothHalfLife);
    m_toolbar->setSmoothing(layout.smooth);
    m_toolbar->setLogScale(layout.log);
    setWithChain(layout.withEarlierRuns);
    setAxis(layout.axis);
    emit switchesChanged();
}

void ReviewPage::soloRank(int rank) {
    if (m_session && rank >= static_cast<int>(m_session->view().ranks.size()))
        return;
    m_filters->changeChoice([rank](RankChoice& choice) {
        choice.solo = rank;
        if (rank < 0)
            choice.muted.clear();
    });
}

void ReviewPage::zoomIn() {
    m_feed->controller().zoomCentre(0.5);
}

void ReviewPage::zoomOut() {
    m_feed->controller().zoomCentre(2);
}

void ReviewPage::zoomAll() {
    m_feed->controller().showAll();
}

void ReviewPage::showStep(qint64 step) {
    m_feed->controller().showStep(step);
}

void ReviewPage::showSteps(qint64 first, qint64 last) {
    m_feed->controller().showSteps(first, last);
}

void ReviewPage::showTime(qint64 fromNs, qint64 toNs) {
    const QScopedValueRollback linked(m_linked, true);
    m_isOwnWindow = false;
    m_feed->controller().showLinkedTime(fromNs, toNs);
}

void ReviewPage::showAll() {
    m_isOwnWindow = false;
    m_feed->controller().showLinkedAll();
}

bool ReviewPage::showsAll() const {
    return m_feed->controller().showsAll();
}

std::optional<std::pair<qint64, qint64>> ReviewPage::seenSteps() const {
    const SharedAxisController& controller = m_feed->controller();
    if (!m_session || axis() == CurveAxis::Time || !hasSteps())
        return {};
    if (axis() == CurveAxis::SampleCount) {
        const auto steps = controller.stepsOf(controller.window());
        return std::pair<qint64, qint64>(steps.first, steps.last);
    }
    const PlotRange window = controller.window();
    const double first = std::max(0.0, std::ceil(window.lo)), last = std::max(first, std::floor(window.hi));
    return std::pair(static_cast<qint64>(first), static_cast<qint64>(last));
}

void ReviewPage::setFilter(qint64 firstStep, qint64 lastStep) {
    m_filters->setFilter(
        firstStep < 0 || lastStep < firstStep ? std::nullopt : std::optional(store::StepInterval{firstStep, lastStep}));
}

void ReviewPage::goBack() {
    m_filters->goBack(false);
}

void ReviewPage::goForward() {
    m_filters->goBack(true);
}

void ReviewPage::selectIncident(qint64 id) {
    m_feed->select(id);
    emit message(m_feed->sentence(id));
}

void ReviewPage::clickIncident(qint64 id) {
    selectIncident(id);
    if (id > 0) // the incidents page has only those of this run
        emit incidentSelected(id);
}

void ReviewPage::nextIncident() {
    stepIncident(1);
}

void ReviewPage::previousIncident() {
    stepIncident(-1);
}

void ReviewPage::stepIncident(int direction) {
    if (const qint64 id = m_feed->stepIncident(direction))
        emit message(m_feed->sentence(id));
}

void ReviewPage::annotate() {
    annotateAt(std::nullopt);
}

void ReviewPage::annotateAt(std::optional<double> x) {
    if (!m_session || !hasSteps())
        return emit message(tr("There is no step to annotate yet"));
    const SharedAxisController& controller = m_feed->controller();
    launch::Annotation annotation;
    if (const auto& filter = m_filters->filter()) {
        annotation.firstStep = filter->first;
        annotation.lastStep = filter->last;
    } else {
        const PlotRange w = controller.window();
        const auto crosshair = m_plots->panes().front().plot->crosshair();
        annotation.firstStep = annotation.lastStep =
            controller.stepNear(x ? *x : crosshair.value_or((w.lo + w.hi) / 2));
    }
    annotation.timeNs = controller.timeOf(static_cast<double>(annotation.firstStep));
    m_annotationBar->edit(annotation);
}

/// Brings the annotated steps into view; of an alert, only its time is known.
void ReviewPage::showAnnotated(const AnnotationItem& item) {
    constexpr std::int64_t kAroundNs = 10'000'000'000;
    if (item.lastStep > item.firstStep && item.firstStep >= 0)
        showSteps(item.firstStep, item.lastStep);
    else if (item.firstStep >= 0)
        showStep(item.firstStep);
    else
        m_feed->controller().showTime(item.timeNs - kAroundNs, item.timeNs + kAroundNs);
}

QString ReviewPage::exportTo(const QString& file) const {
    const auto written = m_exporter->write({}, file);
    return written ? QString() : toQString(written.error().message());
}

void ReviewPage::exportPlots() {
    m_exporter->askAndWrite({});
}

bool ReviewPage::addPlot(const QString& series) {
    const auto parsed = PlotSeries::fromKey(series);
    return parsed && m_plots->addPlot(*parsed);
}

} // namespace rankscope::ui
