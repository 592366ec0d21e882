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
#include "widgets/review/page/window_link.h"
#include "widgets/review/panes/plots_cover.h"
#include "widgets/review/panes/range_figures.h"
#include "widgets/review/panes/run_notice.h"
#include "widgets/run_end/checkpoint_pane.h"
#include "widgets/run_end/run_end_controller.h"
#include "widgets/run_end/run_end_pane.h"
#include "widgets/theme/language_change.h"
#include "widgets/waits/range_pane.h"
#include "widgets/waits/waits_pane.h"

#include <QLabel>
#include <QMenu>
#include <QStackedWidget>

namespace rankscope::ui {

ReviewPage::ReviewPage(QWidget* parent) : QWidget(parent), m_extras(new PlotExtras(this)) {
    build();
    m_feed = new PlotFeed(m_plots, m_strip, m_extras, this);
    m_link = new WindowLink(m_feed->controller(), this);
    m_figures = std::make_unique<RangeFigures>(m_feed->controller(), m_waits, m_statistics);
    m_filters = new FilterController(m_filterBar, m_board, m_feed, this);
    m_annotations = new AnnotationController(m_annotationBar, m_annotationPane, m_extras, this);
    m_exporter = new PlotExporter(this, m_plots, m_feed, m_filters);
    m_plotMenu = new PlotMenu(this, {m_plots, m_feed, m_filters, m_annotations, m_exporter});
    m_ending = new RunEndController(m_endingPane, m_checkpoints, this);
    fillPanesMenu();
    connectParts();
    connectToolbar();
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
    content->setLayout(columnOf({m_notice = new RunNotice,
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
    m_cover = new PlotsCover(m_plots, m_strip, content);
}

void ReviewPage::fillPanesMenu() {
    QMenu* menu = m_toolbar->panes();
    m_panes = new PanesMenu(menu, {m_board, m_strip, m_waits, m_checkpoints, m_statistics, m_annotationPane}, this);
    connect(m_panes, &PanesMenu::changed, this, &ReviewPage::switchesChanged);
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
    connect(m_link, &WindowLink::movedHere, this, [this] { m_filters->pushHistory(ViewHistory::ViewChange::Move); });
    connect(m_link, &WindowLink::rangeChanged, this, &ReviewPage::rangeChanged);
    connect(m_link, &WindowLink::windowChanged, this, &ReviewPage::windowChanged);
    connect(m_feed, &PlotFeed::windowShown, this, &ReviewPage::showWindow);
    connect(m_feed, &PlotFeed::axisChanged, this, &ReviewPage::switchesChanged);
    connect(m_feed, &PlotFeed::chainUpdated, this, &ReviewPage::updateChain);
    connect(m_feed, &PlotFeed::failed, this, &ReviewPage::failed);
    connect(m_strip, &OverviewStrip::incidentClicked, this, &ReviewPage::clickIncident);
    connect(m_plots, &PlotStack::added, this, &ReviewPage::connectPlot);
    connect(m_plots, &PlotStack::outliersChanged, this,
            [this] { m_toolbar->setIgnoreOutliers(m_plots->ignoresOutliers()); });
    connect(m_plots, &PlotStack::resized, this, &ReviewPage::updateCover);
    connect(m_plots, &PlotStack::message, this, &ReviewPage::message);
    connect(m_filters, &FilterController::filterChanged, this, [this] {
        const auto& filter = m_filters->filter();
        m_feed->setFilter(filter);
        m_figures->setFilter(filter);
        emit filterChanged(filter ? filter->first : -1, filter ? filter->last : -1);
    });
    connect(m_filters, &FilterController::axisWanted, this, &ReviewPage::setAxis);
    connect(m_filters, &FilterController::message, this, &ReviewPage::message);
    connect(m_annotations, &AnnotationController::message, this, &ReviewPage::message);
    connect(m_annotations, &AnnotationController::failed, this, &ReviewPage::failed);
    connect(m_annotations, &AnnotationController::plotsRequested, m_feed, &PlotFeed::showAnnotated);
    connect(m_annotationPane, &AnnotationPane::closeRequested, this, [this] { showAnnotations(false); });
    connect(m_plotMenu, &PlotMenu::annotateRequested, this, &ReviewPage::annotateAt);
    connect(m_exporter, &PlotExporter::message, this, &ReviewPage::message);
    connect(m_exporter, &PlotExporter::failed, this, &ReviewPage::failed);
    connect(m_extras, &PlotExtras::failed, this, &ReviewPage::failed);
    connect(m_ending, &RunEndController::checkpointsRequested, this, [this] { showCheckpoints(!checkpointsShown()); });
    connect(m_checkpoints, &CheckpointPane::closeRequested, this, [this] { showCheckpoints(false); });
    connect(m_board, &RankBoard::logRequested, this, [this](int rank) { emit logRequested(rank, -1); });
}

void ReviewPage::connectToolbar() {
    connect(m_toolbar, &ReviewToolbar::followToggled, &m_feed->controller(), &SharedAxisController::setFollow);
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
    m_panes->retranslate();
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
    m_annotations->clear();
    m_extras->clear();
    m_link->clear();
    m_figures->setSession(session);
    m_feed->setSession(session);
    m_exporter->setSession(session);
    m_ending->setSession(session);
    m_stack->setCurrentIndex(session ? 1 : 0);
    m_figures->updateOpenWaits();
    if (!session)
        return;
    m_extras->setRun(session->run());
    m_extras->loadFor(session->view());
    connect(session, &RunSession::viewChanged, this, &ReviewPage::updateView);
    updateView();
}

void ReviewPage::updateView() {
    const RunView& view = m_session->view();
    m_board->setView(view);
    m_toolbar->setFollowEnabled(launch::isLive(view.info.state));
    m_feed->updateView();
    updateAxisButtons();
    m_notice->setView(view);
    updateCover();
    m_figures->updateOpenWaits();
    m_extras->loadFor(view);
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

void ReviewPage::updateCover() {
    if (m_session)
        m_cover->setView(m_session->view(), hasSteps(), m_ending->isShown());
}

void ReviewPage::updateRangeText() {
    m_toolbar->setRangeText(m_feed->rangeText());
}

/// Informs the other panes and pages about the plots' current window.
void ReviewPage::showWindow() {
    updateRangeText();
    m_figures->request();
    m_link->publish();
}

bool ReviewPage::isComplete() const {
    if (!m_session)
        return true;
    const RunView& view = m_session->view();
    if (view.nowNs == 0)
        return false;
    if (view.info.state == launch::RunState::Lost && view.problem.isEmpty())
        return false; // an update is in progress
    return m_feed->isComplete() && m_ending->isComplete() && m_figures->isComplete() && !m_extras->isBusy();
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
    setAxis(m_feed->nextAxis());
}

void ReviewPage::setWithChain(bool on) {
    m_chainAction->setChecked(on);
    if (on == m_feed->controller().isWithChain())
        return;
    m_feed->setWithChain(on);
    emit switchesChanged();
}

QByteArray ReviewPage::saveLayout() const {
    ReviewLayout layout;
    layout.shown = m_panes->shown();
    m_plots->saveTo(layout);
    layout.withEarlierRuns = m_feed->controller().isWithChain();
    layout.axis = m_feed->wantedAxis();
    return layout.toBytes();
}

void ReviewPage::restoreLayout(const QByteArray& bytes) {
    const auto layout = ReviewLayout::fromBytes(bytes);
    m_panes->setShown(layout.shown);
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
    m_link->showTime(fromNs, toNs);
}

void ReviewPage::showAll() {
    m_link->showAll();
}

bool ReviewPage::showsAll() const {
    return m_feed->controller().showsAll();
}

std::optional<std::pair<qint64, qint64>> ReviewPage::seenSteps() const {
    return m_feed->seenSteps();
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
    if (!hasSteps())
        return emit message(tr("There is no step to annotate yet"));
    m_annotationBar->edit(m_feed->newAnnotation(x));
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
