// SPDX-License-Identifier: GPL-3.0-or-later
// Two minutes over a recorded run with a stall in it. The pages are the real ones, and stay usable all the time.
#include "widgets/config/launch/launch_panel.h"
#include "widgets/config/page/config_page.h"
#include "widgets/config/sync/sync_card_row.h"
#include "widgets/incidents/incident_banner.h"
#include "widgets/incidents/incident_page.h"
#include "widgets/main_window/actions/actions.h"
#include "widgets/main_window/chrome/welcome_page.h"
#include "widgets/main_window/help/tour_recording.h"
#include "widgets/main_window/help/tour_state.h"
#include "widgets/main_window/window/main_window.h"
#include "widgets/models/run/run_session.h"
#include "widgets/models/text/text_format.h"
#include "widgets/plots/plot/rank_plot.h"
#include "widgets/review/board/rank_board.h"
#include "widgets/review/page/review_page.h"
#include "widgets/timeline/page/timeline_legend.h"
#include "widgets/timeline/page/timeline_page.h"
#include "widgets/timeline/view/timeline_view.h"

#include <QScrollArea>
#include <QStackedWidget>
#include <QTabWidget>
#include <QTemporaryDir>
#include <QTimer>

#include <algorithm>

namespace rankscope::ui {

static constexpr std::int64_t kAroundNs = 2'000'000'000;
static constexpr qint64 kAroundSteps = 12;

static const diagnosis::Incident* stallOf(const RunView& view) {
    const auto& all = view.incidents;
    const auto found = std::find_if(all.begin(), all.end(), [](const diagnosis::Incident& in) {
        return in.cause == diagnosis::Cause::DataLoading && in.closedNs > 0;
    });
    return found == all.end() ? nullptr : &*found;
}

void MainWindow::connectTour() {
    connect((*m_actions)[Act::Tour], &QAction::triggered, this, &MainWindow::startTour);
    connect((*m_actions)[Act::Welcome], &QAction::triggered, this, [this] {
        endTour();
        m_stack->setCurrentWidget(m_welcome);
    });
    connect(m_welcome, &WelcomePage::tourRequested, this, &MainWindow::startTour);
    connect(m_welcome, &WelcomePage::importRequested, this, [this] { importRun({}, false); });
    const bool there = !findTour().isEmpty();
    (*m_actions)[Act::Tour]->setEnabled(there);
    m_welcome->setTour(there, m_settings.tourDone);
}

TourPanel* MainWindow::tourPanel() const {
    return m_tour ? m_tour->panel : nullptr;
}

bool MainWindow::isOfTour(const QString& path) const {
    return m_tourDir && path.startsWith(m_tourDir->path() + QLatin1Char('/'));
}

void MainWindow::startTour() {
    if (m_tour)
        return m_tour->panel->takeFocus();
    // a new copy each time: the last one may have been written on
    auto dir = std::make_unique<QTemporaryDir>(QDir::tempPath() + QStringLiteral("/rankscope-tour-XXXXXX"));
    if (!dir->isValid())
        return complain(tr("The tour cannot begin: %1").arg(dir->errorString()));
    const auto run = copyTour(findTour(), dir->path());
    if (!run)
        return complain(tr("The tour cannot begin: %1").arg(toQString(run.error().message())));
    m_tour = std::make_unique<Tour>();
    m_tour->run = *run;
    if (m_session && !isOfTour(toQString(m_session->run().dir.string())))
        m_tour->formerRun = toQString(m_session->run().dir.string());
    if (m_config->file()->isOpen() && !isOfTour(m_config->file()->path()))
        m_tour->formerConfig = m_config->file()->path();
    m_tour->outline = new TourOutline(this);
    m_tour->panel = new TourPanel(this);
    connect(m_tour->panel, &TourPanel::endRequested, this, &MainWindow::endTour);
    connect(m_tour->panel, &TourPanel::backRequested, this, [this] { goToTourStep(-1); });
    connect(m_tour->panel, &TourPanel::nextRequested, this, [this] { goToTourStep(1); });
    connect(m_tour->panel, &TourPanel::tryRequested, this, &MainWindow::tryQuickstart);
    openRun(*run);
    m_tourDir = std::move(dir); // the run that was shown of the last tour is closed by now
    showTourStep();
    m_tour->panel->show();
    m_tour->panel->takeFocus();
}

void MainWindow::goToTourStep(int by) {
    const int next = static_cast<int>(m_tour->step) + by;
    if (next >= static_cast<int>(TourStep::Count))
        return endTour();
    m_tour->step = static_cast<TourStep>(std::max(0, next));
    m_tour->arrived = false;
    if (m_tour->step == TourStep::Configure) {
        m_settings.tourDone = true;
        m_welcome->setTour(true, true);
    }
    showTourStep();
    m_tour->panel->takeFocus();
}

/// The page, what is in view on it, and the part that the outline surrounds.
void MainWindow::arriveAtTourStep(const diagnosis::Incident& stall) {
    const std::int64_t startNs = m_session->view().info.startNs;
    switch (m_tour->step) {
    case TourStep::Banner:
    case TourStep::Board:
        showPage(Page::Review);
        m_review->zoomAll();
        break;
    case TourStep::Wait:
        showPage(Page::Review);
        m_review->setAxis(CurveAxis::Step);
        m_review->showSteps(std::max<qint64>(0, stall.step - kAroundSteps), stall.step + kAroundSteps);
        break;
    case TourStep::Timeline:
        showPage(Page::Timeline);
        m_timeline->showTime(stall.openedNs - startNs - kAroundNs, stall.closedNs - startNs + kAroundNs);
        break;
    case TourStep::Remedy:
        showPage(Page::Incidents);
        m_incidents->select(stall.id);
        break;
    case TourStep::Configure:
        // never the recording's own recipe: its folder goes with the window
        if (const QString quickstart = findQuickstart(); !quickstart.isEmpty() && !m_config->file()->hasEdits()) {
            m_tour->quickstartOpened |= m_config->file()->path() != quickstart;
            openConfig(quickstart);
        }
        showPage(Page::Configure);
        break;
    case TourStep::Count:
        break;
    }
}

QWidget* MainWindow::tourTarget() const {
    switch (m_tour->step) {
    case TourStep::Banner:
        return m_banner;
    case TourStep::Board:
        return m_review->findChild<RankBoard*>();
    case TourStep::Wait:
        for (RankPlot* plot : m_review->findChildren<RankPlot*>())
            if (plot->spec().duration && plot->isVisible())
                return plot;
        return m_review;
    case TourStep::Timeline:
        return m_timeline->view();
    case TourStep::Remedy:
        return m_incidents->findChild<QWidget*>(QStringLiteral("incidentRemedy"));
    case TourStep::Configure:
        return m_config->cards();
    case TourStep::Count:
        break;
    }
    return nullptr;
}

QPair<QString, QString> MainWindow::tourText(const diagnosis::Incident& stall) const {
    const QString holder = ranksText(stall.holders), waiter = ranksText(stall.waiters),
                  lasted = durationText(stall.closedNs - stall.openedNs);
    switch (m_tour->step) {
    case TourStep::Banner:
        return {
            tr("Who holds whom, and why"),
            tr("This run was recorded: a data loader stalled for %1. While a run lives, this banner says so after a "
               "second: who holds whom, in which collective, what the holder does, and which setting cures it.")
                .arg(lasted)};
    case TourStep::Board:
        return {
            tr("A tile per rank"),
            tr("Here you see what each rank does now. During a stall a triangle marks the rank that holds the others, "
               "an hourglass those that wait. A click shows one rank alone.")};
    case TourStep::Wait:
        return {tr("The wait as a curve"),
                tr("In this one step %1 waited %2 and %3 did not: the rank that never waits is the one that holds the "
                   "others. Incidents are shaded. Wheel and drag zoom and move; a double click shows the whole run.",
                   "ranks that waited, time, ranks that held them")
                    .arg(waiter, lasted, holder)};
    case TourStep::Timeline:
        return {
            tr("What each rank did"),
            tr("A lane per rank: %1 was in data_wait, while %2 waited in a collective (hatched). The arrow points from "
               "the waiting rank to the one it waits for.",
               "holder, waiters")
                .arg(holder, waiter)};
    case TourStep::Remedy:
        return {
            tr("Evidence, and what cures it"),
            tr("Each stall is kept with its evidence: the file that was being read, the queue, the stacks. This button "
               "opens the recipe with the setting changed, ready to launch.")};
    case TourStep::Configure:
        return {
            tr("Before the next launch"),
            findQuickstart().isEmpty()
                ? tr("The three settings that decide how ranks wait for each other, with what each costs in a step. "
                     "Below is the whole recipe beside NeMo's defaults. Launch starts it on this machine.")
                : tr("The three settings that decide how ranks wait for each other, with what each costs in a step. "
                     "Now try it: the quickstart trains two small ranks on this machine in about a minute, and one of "
                     "them stalls on purpose.")};
    case TourStep::Count:
        break;
    }
    return {};
}

/// A plot may be out of sight in a small window.
static void showInScrollArea(QWidget* widget) {
    for (QWidget* parent = widget->parentWidget(); parent; parent = parent->parentWidget())
        if (auto* area = qobject_cast<QScrollArea*>(parent))
            return area->ensureWidgetVisible(widget, 0, 0);
}

/// Called again for each view of the recording: it is read beside the window's thread.
void MainWindow::showTourStep() {
    if (!m_tour || !m_session)
        return;
    if (toQString(m_session->run().dir.string()) != m_tour->run) { // the user went to another run
        m_tour->formerRun.clear();
        return endTour();
    }
    const RunView& view = m_session->view();
    const diagnosis::Incident* found = stallOf(view);
    if (!found) {
        m_tour->panel->setStep(0, static_cast<int>(TourStep::Count), tr("Tour"), tr("The recorded run is being read…"));
        return placeTour();
    }
    const diagnosis::Incident stall = *found; // opening another page may bring a new view
    if (!m_tour->arrived) {
        m_tour->arrived = true;
        arriveAtTourStep(stall);
    }
    if (m_tour->step == TourStep::Banner) {
        diagnosis::Incident asItStood = stall;
        asItStood.closed = diagnosis::CloseReason::Open;
        asItStood.closedNs = 0;
        m_banner->setIncidents({asItStood}, stall.closedNs, true);
    } else {
        m_banner->setIncidents(view.incidents, view.knownNs, launch::isLive(view.info.state));
    }
    const auto [title, text] = tourText(stall);
    m_tour->panel->setStep(static_cast<int>(m_tour->step), static_cast<int>(TourStep::Count), title, text,
                           findQuickstart().isEmpty() ? QString() : tr("Try the quickstart"));
    if (m_tour->target)
        m_tour->target->removeEventFilter(this);
    m_tour->target = tourTarget();
    if (m_tour->target)
        m_tour->target->installEventFilter(this);
    placeTour();
    QTimer::singleShot(0, this, [this] { // once the page has its layout
        if (m_tour && m_tour->target)
            showInScrollArea(m_tour->target);
        placeTour();
    });
}

void MainWindow::placeTour() {
    if (!m_tour)
        return;
    const auto inWindow = [this](const QWidget* widget) {
        return QRect(widget->mapTo(this, QPoint()), widget->size());
    };
    const QWidget* target = m_tour->target;
    const QRect seen = target && target->isVisible() ? target->visibleRegion().boundingRect() : QRect();
    const QRect around = seen.isEmpty() ? QRect() : seen.translated(target->mapTo(this, QPoint()));
    m_tour->outline->surround(around);
    QRegion spared; // what else the step's text speaks of
    for (const QWidget* part : {static_cast<QWidget*>(m_config->launchPanel()),
                                static_cast<QWidget*>(m_timeline->findChild<TimelineLegend*>())})
        if (part && part->isVisible())
            spared += inWindow(part);
    // the lanes fill the page: their upper part is what the text is about
    const int below = m_tour->step == TourStep::Timeline ? around.height() * 2 / 5 : 0;
    m_tour->panel->place(inWindow(m_tabs->currentWidget()), around.adjusted(0, 0, 0, -below), spared);
}

bool MainWindow::eventFilter(QObject* watched, QEvent* event) {
    const auto type = event->type();
    if (m_tour && watched == m_tour->target &&
        (type == QEvent::Resize || type == QEvent::Move || type == QEvent::Show || type == QEvent::Hide))
        QTimer::singleShot(0, this, &MainWindow::placeTour);
    return QMainWindow::eventFilter(watched, event);
}

/// The recording is closed: what is launched now is the user's own.
void MainWindow::tryQuickstart() {
    if (!m_tour)
        return;
    m_tour->formerConfig.clear();
    m_tour->formerRun.clear();
    endTour();
    closeRun();
    openConfig(findQuickstart());
    say(tr("The quickstart is open: press Launch (Ctrl+Enter)."));
}

/// The recording's own recipe would be launched out of a folder that goes with the window.
void MainWindow::relaunchOfTour(const QString& key, const QString& yaml) {
    const QString quickstart = findQuickstart();
    if (quickstart.isEmpty())
        return complain(tr("This run is a recording of the tour and cannot be launched again. Open a recipe of your "
                           "own instead (Ctrl+O)."),
                        QStringLiteral("open"));
    endTour();
    openConfig(quickstart);
    if (key.isEmpty() || m_config->file()->path() != quickstart)
        return;
    if (const auto set = m_config->file()->setValues({{key, yaml}}); !set)
        complain(toQString(set.error().message()));
}

void MainWindow::endTour() {
    if (!m_tour)
        return;
    const auto tour = std::move(m_tour);
    if (tour->target)
        tour->target->removeEventFilter(this);
    tour->panel->hide();
    tour->panel->deleteLater();
    tour->outline->hide();
    tour->outline->deleteLater();
    if (m_session)
        m_banner->setIncidents(m_session->view().incidents, m_session->view().knownNs,
                               launch::isLive(m_session->view().info.state));
    // the user's own is back; without any the recording stays, to be looked at
    if (!tour->formerConfig.isEmpty() && tour->quickstartOpened && !m_config->file()->hasEdits())
        m_config->open(tour->formerConfig);
    if (!tour->formerRun.isEmpty())
        openRun(tour->formerRun);
    m_tabs->currentWidget()->setFocus(Qt::OtherFocusReason);
    say(tr("The tour can be taken again: Help, Tour"));
}

} // namespace rankscope::ui
