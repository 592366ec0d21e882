// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/review/page/review_impl.h"

#include "widgets/models/run/run_session.h"
#include "widgets/models/text/text_format.h"
#include "widgets/plots/export/plot_export.h"
#include "widgets/review/series/lineage_series.h"
#include "widgets/review/series/open_values.h"
#include "widgets/review/series/validation_curve.h"
#include "widgets/theme/theme.h"

#include <QBoxLayout>
#include <QEvent>
#include <QMenu>

#include <algorithm>
#include <cmath>
#include <utility>

namespace rankscope::ui {

static constexpr int kFollowHeldMs = 80; ///< when the step's figures do not come

ReviewPage::Impl::Impl(ReviewPage* reviewPage)
    : page(reviewPage), controller({}), resources(controller), stack(new QStackedWidget(reviewPage)) {
    m_clock.start();
    auto* outer = new QVBoxLayout(page);
    outer->setContentsMargins(0, 0, 0, 0);
    outer->addWidget(stack);
    empty = new QLabel;
    empty->setAlignment(Qt::AlignCenter);
    empty->setWordWrap(true);
    empty->setForegroundRole(QPalette::PlaceholderText);
    stack->addWidget(empty);
    stack->addWidget(makeContent());
    makePanesMenu();
    connectToolbar();
    connectBoard();
    connectExtras();
    for (const auto& plot : ReviewLayout{}.plots)
        makePane(*PlotSeries::fromKey(plot.series), plot.log);
    seriesChanged();
    connect(&controller, &PlotController::rangesChanged, this, &Impl::updateRanges);
    connect(&controller, &PlotController::windowData, this, &Impl::takeWindow);
    heldTimer.setSingleShot(true);
    connect(&heldTimer, &QTimer::timeout, this, &Impl::showHeld);
    connect(&controller, &PlotController::overviewData, this, &Impl::takeOverview);
    connect(&controller, &PlotController::failed, page, &ReviewPage::message);
    connect(&controller, &PlotController::followChanged, this, [this](bool on) {
        toolbar->setFollow(on);
        toolbar->setRangeText(rangeText());
        emit page->switchesChanged();
    });
    connect(&Theme::instance(), &Theme::changed, this, &Impl::updateSpans);
    connect(&controller, &PlotController::aboutToMove, this, [this] { noteView(ViewHistory::Kind::Move); });
    connect(&controller, &PlotController::windowAsked, this, &Impl::askTags);
    connect(&controller, &PlotController::windowData, this, &Impl::askResources); // by then its times are known
    connect(&resources, &ResourcePlots::failed, page, &ReviewPage::failed);
    toolbar->setFollow(controller.follow());
    retranslate();
}

void ReviewPage::Impl::retranslate() {
    empty->setText(
        ReviewPage::tr("<b>No run is shown</b><br><br>Choose a run on the left, open a run's folder, or launch "
                       "one from the Configure page."));
    for (const PlotPane& pane : panes)
        pane.plot->setTitle(pane.series.title(), pane.series.spec().unit);
    resources.retranslate();
    const std::array names{ReviewPage::tr("Rank board"), ReviewPage::tr("Overview strip"),
                           ReviewPage::tr("Who waits for whom"), ReviewPage::tr("Checkpoints")};
    for (int i = 0; i < ReviewLayout::PaneCount; ++i)
        toolbar->panes()->actions().at(i)->setText(names[static_cast<std::size_t>(i)]);
    addMenu->setTitle(ReviewPage::tr("Add a plot"));
    chainAction->setText(ReviewPage::tr("With what came before"));
    board->viewport()->update();
    showNothingText();
    updateChips();
    updateMarks();
    toolbar->setRangeText(rangeText());
    ending->retranslate();
    if (session)
        session->refresh(); // tiles and sentences
}

QWidget* ReviewPage::Impl::makeContent() {
    auto* content = new QWidget;
    auto* column = new QVBoxLayout(content);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    notice = new QLabel;
    notice->setWordWrap(true);
    notice->setTextInteractionFlags(Qt::TextSelectableByMouse);
    notice->setContentsMargins(12, 6, 12, 6);
    notice->hide();
    column->addWidget(notice);
    endingPane = new EndingPane;
    column->addWidget(endingPane);
    board = new RankBoard;
    column->addWidget(board);
    toolbar = new ReviewToolbar;
    column->addWidget(toolbar);
    filters = new FilterBar;
    column->addWidget(filters);
    annotations = new AnnotationBar;
    column->addWidget(annotations);
    splitter = new QSplitter(Qt::Vertical);
    splitter->setChildrenCollapsible(false);
    splitter->setHandleWidth(5);
    splitter->installEventFilter(this);
    plotsArea = new QScrollArea; // a small window scrolls rather than squashing its plots
    plotsArea->setObjectName(QStringLiteral("plotsArea"));
    plotsArea->setWidget(splitter);
    plotsArea->setWidgetResizable(true);
    plotsArea->setFrameShape(QFrame::NoFrame);
    plotsArea->setFocusPolicy(Qt::NoFocus);
    plotsArea->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    column->addWidget(plotsArea, 1);
    strip = new OverviewStrip;
    column->addWidget(strip);
    whoWaits = new WaitsPane;
    whoWaits->hide();
    column->addWidget(whoWaits);
    checkpoints = new CheckpointPane;
    checkpoints->hide();
    column->addWidget(checkpoints);
    ending = new RunEnding(endingPane, checkpoints, this);
    connect(ending, &RunEnding::checkpointsRequested, this,
            [this] { setPaneShown(ReviewLayout::CheckpointsPane, true); });
    connect(strip, &OverviewStrip::windowChanged, &controller, &PlotController::show);
    connect(strip, &OverviewStrip::reset, &controller, &PlotController::showAll);
    connect(strip, &OverviewStrip::incidentClicked, this, &Impl::clickIncident);
    waiting = new QLabel(content);
    waiting->setAutoFillBackground(true); // over plots that have nothing to show
    waiting->setAlignment(Qt::AlignCenter);
    waiting->setWordWrap(true);
    waiting->setForegroundRole(QPalette::PlaceholderText);
    waiting->hide();
    return content;
}

void ReviewPage::Impl::connectBoard() {
    connect(board, &RankBoard::soloClicked, this, [this](int rank) { setSolo(choice.solo == rank ? -1 : rank); });
    connect(board, &RankBoard::muteClicked, this,
            [this](int rank) { changeChoice([rank](RankChoice& c) { c.toggleMute(rank); }); });
    connect(board, &RankBoard::pinClicked, this,
            [this](int rank) { changeChoice([rank](RankChoice& c) { c.togglePin(rank); }); });
    connect(board, &RankBoard::logRequested, this, [this](int rank) { emit page->logRequested(rank, -1); });
    connect(filters, &FilterBar::clicked, this, [this](int kind) {
        if (kind == FilterBar::Steps && filter)
            controller.showSteps(filter->first, filter->last);
    });
    connect(filters, &FilterBar::removed, this, [this](int kind) {
        if (kind == FilterBar::Steps)
            setFilter(std::nullopt);
        else if (kind == FilterBar::Solo)
            setSolo(-1);
        else
            changeChoice([](RankChoice& c) { c.muted.clear(); });
    });
}

void ReviewPage::Impl::connectExtras() {
    connect(&extras, &RunExtras::read, this, [this](const ExtrasPtr& read) {
        extra = read;
        updateMarks();
    });
    connect(&extras, &RunExtras::failed, page, &ReviewPage::failed);
    connect(&extras, &RunExtras::seriesRead, this, [this](const TagReplyPtr& reply) { takeTags(*reply); });
    connect(&extras, &RunExtras::edited, this, [this](const QString& problem) {
        if (annotations->isWaiting() && !problem.isEmpty() && !m_annotationUndo.empty())
            m_annotationUndo.pop_back(); // it was not made
        annotations->answer(problem);
    });
    connect(annotations, &AnnotationBar::kept, this, &Impl::keepAnnotation);
    connect(annotations, &AnnotationBar::removed, this, &Impl::removeAnnotation);
}

void ReviewPage::Impl::connectToolbar() {
    connect(toolbar, &ReviewToolbar::followToggled, &controller, &PlotController::setFollow);
    connect(toolbar, &ReviewToolbar::smoothingToggled, this, &Impl::setSmoothing);
    connect(toolbar, &ReviewToolbar::smoothingHalfLifeChosen, this, &Impl::setSmoothingHalfLife);
    connect(toolbar, &ReviewToolbar::ignoreOutliersToggled, this, &Impl::setIgnoreOutliers);
    connect(toolbar, &ReviewToolbar::logScaleToggled, this, &Impl::setLogScale);
    connect(toolbar, &ReviewToolbar::axisChosen, this, &Impl::setAxis);
    connect(toolbar, &ReviewToolbar::zoomInClicked, page, &ReviewPage::zoomIn);
    connect(toolbar, &ReviewToolbar::zoomOutClicked, page, &ReviewPage::zoomOut);
    connect(toolbar, &ReviewToolbar::zoomAllClicked, page, &ReviewPage::zoomAll);
    connect(toolbar, &ReviewToolbar::previousIncidentClicked, page, &ReviewPage::previousIncident);
    connect(toolbar, &ReviewToolbar::nextIncidentClicked, page, &ReviewPage::nextIncident);
    connect(toolbar, &ReviewToolbar::exportClicked, page, &ReviewPage::exportPlots);
}

void ReviewPage::Impl::connectPlot(RankPlot* plot) {
    connect(plot, &RankPlot::zoomed, &controller, &PlotController::zoom);
    connect(plot, &RankPlot::panned, &controller, &PlotController::pan);
    connect(plot, &RankPlot::boxed, &controller, &PlotController::show);
    connect(plot, &RankPlot::brushed, this, [this](PlotRange range) { setFilter(controller.stepsOf(range)); });
    connect(plot, &RankPlot::reset, &controller, &PlotController::showAll);
    connect(plot, &RankPlot::hovered, this, &Impl::hover);
    connect(plot->y(), &PlotYAxis::ignoreOutliersChanged, this, &Impl::outliersChanged);
    connect(plot, &RankPlot::incidentClicked, this, &Impl::clickIncident);
    connect(plot, &RankPlot::annotationClicked, this, &Impl::editAnnotation);
    connect(plot, &RankPlot::moveRequested, this, [this, plot](int by) { movePlot(plot, by); });
    connect(plot, &RankPlot::titleDragged, this,
            [this, plot](QPoint at, RankPlot::TitleDrag phase) { dragPlot(plot, at, phase); });
    connect(plot, &RankPlot::removeRequested, this, [this, plot] { removePlot(plot); });
    connect(plot, &RankPlot::menuRequested, this,
            [this, plot](QPoint at, std::optional<double> x, qint64 id) { plotMenu(plot, at, x, id); });
}

bool ReviewPage::Impl::eventFilter(QObject* watched, QEvent* event) {
    if (watched == splitter && event->type() == QEvent::Resize) {
        controller.setPixelWidth(splitter->width());
        if (session)
            updateWaiting(session->view());
    }
    return QObject::eventFilter(watched, event);
}

void ReviewPage::Impl::setSession(RunSession* next) {
    if (session)
        session->disconnect(this);
    session = next;
    choice = {};
    filter.reset();
    history.clear();
    m_annotationUndo.clear();
    annotations->hide();
    extra = std::make_shared<const ExtrasView>();
    extras.clear();
    m_told = {0, -1};
    selected = 0;
    dropHeld();
    windowDrawn = false;
    for (auto* plot : plots()) {
        plot->setSeries({});
        plot->y()->setByHand(std::nullopt); // another run's values may lie elsewhere
    }
    resources.setStore(next ? next->run().store() : std::filesystem::path());
    applyFilter();
    strip->setBand({});
    whoWaits->clear();
    controller.setSession(next);
    ending->setSession(next);
    stack->setCurrentIndex(next ? 1 : 0);
    updateMarks();
    updateOpenValues();
    updateChain();
    if (!next)
        return updateValidations();
    extras.setRun(next->run());
    m_sinceExtras.invalidate();
    loadExtras();
    connect(next, &RunSession::viewChanged, this, &Impl::updateView);
    updateView();
}

void ReviewPage::Impl::updateView() {
    const RunView& view = session->view();
    board->setView(view);
    toolbar->setFollowEnabled(launch::isLive(view.info.state));
    applyAxis();
    updateChain();
    updateNotice(view);
    updateWaiting(view);
    updateLines();
    updateSpans();
    updateOpenValues();
    updateValidations();
    loadExtras();
}

void ReviewPage::Impl::updateOpenValues() {
    const auto place = [this](std::int64_t step) { return controller.placeOfOpenStep(step); };
    for (const PlotPane& pane : panes)
        if (pane.series.isMetric())
            pane.plot->setOpenValues(session ? openValues(pane.series.metric, session->view(), place)
                                             : std::vector<OpenValue>{});
    std::vector<diagnosis::OpenWait> seen;
    if (session)
        for (const auto& wait : session->view().openWaits)
            if (filter ? wait.step >= filter->first && wait.step <= filter->last
                       : controller.window().contains(place(wait.step)))
                seen.push_back(wait);
    whoWaits->setOpenWaits(std::move(seen), session ? session->view().nowNs : 0);
}

void ReviewPage::Impl::updateValidations() {
    for (const PlotPane& pane : panes)
        if (pane.series.isMetric() && pane.series.metric == store::Metric::Loss)
            pane.plot->setReference(ReviewPage::tr("validation"),
                                    session ? validationCurve(validationsOfChain(controller.chain(), session->view()),
                                                              controller.axis(), controller.samples())
                                            : Samples{});
}

void ReviewPage::Impl::updateNotice(const RunView& view) {
    const auto& palette = Theme::instance().palette();
    QStringList problems{view.problem, view.goneRealtimeNs == 0 ? view.chainProblem : QString()};
    problems.removeAll(QString());
    const QString text = problems.join(QLatin1Char('\n'));
    notice->setVisible(!text.isEmpty());
    if (text == notice->text())
        return;
    notice->setText(text);
    notice->setStyleSheet(QStringLiteral("background:%1;color:%2;").arg(palette.raised.name(), palette.text.name()));
}

void ReviewPage::Impl::updateWaiting(const RunView& view) {
    const bool none = !controller.hasSteps();
    waiting->setVisible(none);
    if (!none)
        return;
    waiting->setText(
        view.nowNs != 0 && view.info.worldSize == 0 ? QString() // the notice says why
        : view.nowNs == 0                           ? ReviewPage::tr("Reading the run…")
        : launch::isLive(view.info.state) ? ReviewPage::tr("The ranks are starting. Curves appear with the first step.")
        : !view.problem.isEmpty() ? ReviewPage::tr("No curve of this run can be read; the notice above says why.")
        : ending->isShown()
            ? ReviewPage::tr("No curves: this run ended before its first step. The reason is given above.")
            : ReviewPage::tr("No curves: this run ended before its first step. Its logs say why."));
    // the strip has nothing to show either
    waiting->setGeometry(strip->isVisible() ? plotsArea->geometry().united(strip->geometry()) : plotsArea->geometry());
    waiting->raise();
}

/// The window of a live run moves with each step; it is drawn with the step's figures, in one frame.
void ReviewPage::Impl::updateRanges() {
    rangesHeld = true;
    if (!controller.isFollowing() || !windowDrawn || controller.isMoving())
        showHeld();
    else if (!heldTimer.isActive())
        heldTimer.start(kFollowHeldMs);
}

void ReviewPage::Impl::applyRanges() {
    rangesHeld = false;
    for (const PlotPane& pane : panes)
        pane.plot->setRange(controller.window());
    strip->setRanges(controller.whole(), controller.window(), controller.minWidth());
    toolbar->setRangeText(rangeText());
    askWaits();
    if (session)
        updateSpans();
    tellWindow();
}

QString ReviewPage::Impl::rangeText() const {
    if (!controller.hasSteps())
        return {};
    const PlotRange w = controller.window();
    QString text;
    if (controller.axis() == CurveAxis::Time) {
        text = ReviewPage::tr("%1 to %2")
                   .arg(durationText(static_cast<std::int64_t>(w.lo * 1e9)),
                        durationText(static_cast<std::int64_t>(w.hi * 1e9)));
    } else {
        const auto lo = static_cast<std::int64_t>(std::ceil(w.lo)), hi = static_cast<std::int64_t>(std::floor(w.hi));
        text = (controller.axis() == CurveAxis::SampleCount ? ReviewPage::tr("samples %1 to %2")
                                                            : ReviewPage::tr("steps %1 to %2"))
                   .arg(countText(lo), countText(hi));
    }
    const bool left = session && launch::isLive(session->view().info.state) && !controller.follow();
    return left ? ReviewPage::tr("%1 · not following").arg(text) : text;
}

void ReviewPage::Impl::updateLines() {
    board->setChoice(choice);
    if (!session)
        return;
    const Lines lines = chooseLines(choice, session->view(), RankPlot::kMaxLines);
    for (const PlotPane& pane : panes)
        pane.plot->setLines(lines.ranks, lines.band);
}

void ReviewPage::Impl::updateSpans() {
    const auto spans = controller.spans();
    for (const PlotPane& pane : panes)
        pane.plot->setSpans(spans, selected);
    strip->setSpans(spans, selected);
}

void ReviewPage::Impl::hover(std::optional<double> x) {
    for (const PlotPane& pane : panes)
        pane.plot->setCrosshair(x, true);
}

void ReviewPage::Impl::setSmoothing(bool on) {
    smooth = on;
    toolbar->setSmoothing(on);
    for (const PlotPane& pane : panes)
        pane.plot->setSmoothing(on);
    emit page->switchesChanged();
}

/// Whoever sets how strongly wants to see it.
void ReviewPage::Impl::setSmoothingHalfLife(double steps) {
    smoothHalfLife = steps;
    for (const PlotPane& pane : panes)
        pane.plot->setSmoothingHalfLife(steps);
    if (!smooth)
        setSmoothing(true);
}

void ReviewPage::Impl::selectIncident(qint64 id) {
    selected = id;
    updateSpans();
    emit page->message(sentence(id));
}

void ReviewPage::Impl::clickIncident(qint64 id) {
    selectIncident(id);
    if (id > 0) // the page of incidents has those of this run
        emit page->incidentSelected(id);
}

void ReviewPage::Impl::stepIncident(int direction) {
    auto spans = controller.spans();
    if (spans.isEmpty())
        return;
    std::stable_sort(spans.begin(), spans.end(), [](const auto& a, const auto& b) { return a.lo < b.lo; });
    const auto at = std::find_if(spans.begin(), spans.end(), [this](const auto& s) { return s.id == selected; });
    const auto n = spans.size();
    const qsizetype next = at == spans.end() ? (direction > 0 ? 0 : n - 1) : (at - spans.begin() + direction + n) % n;
    const IncidentSpan& span = spans[next];
    const double margin = std::max((span.hi - span.lo) * 2, controller.surroundings());
    controller.show({span.lo - margin, span.hi + margin});
    selected = span.id;
    updateSpans();
    emit page->message(sentence(span.id));
}

bool ReviewPage::Impl::isComplete() const {
    if (!session)
        return true;
    const RunView& view = session->view();
    if (view.nowNs == 0)
        return false;
    if (view.info.state == launch::RunState::Lost && view.problem.isEmpty())
        return false; // being brought up to date
    if (controller.hasSteps() && !windowDrawn)
        return false;
    return held.empty() && ending->isComplete() && controller.isSettled() && whoWaits->isComplete() &&
           !extras.isBusy() && !resources.isBusy() && std::all_of(panes.begin(), panes.end(), [](const PlotPane& p) {
               return p.plot->isHidden() || p.plot->isDrawn();
           });
}

} // namespace rankscope::ui
