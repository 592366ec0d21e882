// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/main_window/control/tour_guide.h"

#include "widgets/config/launch/launch_panel.h"
#include "widgets/config/page/config_page.h"
#include "widgets/config/sync/sync_card_row.h"
#include "widgets/config/tree/recipe_view.h"
#include "widgets/incidents/incident_banner.h"
#include "widgets/incidents/incident_page.h"
#include "widgets/main_window/chrome/notice_strip.h"
#include "widgets/main_window/chrome/welcome_page.h"
#include "widgets/main_window/control/page_tabs.h"
#include "widgets/main_window/control/run_opener.h"
#include "widgets/main_window/help/installed_files.h"
#include "widgets/main_window/help/tour_panel.h"
#include "widgets/models/run/run_session.h"
#include "widgets/models/text/text_format.h"
#include "widgets/plots/plot/rank_plot.h"
#include "widgets/review/board/rank_board.h"
#include "widgets/review/page/review_page.h"
#include "widgets/timeline/page/timeline_legend.h"
#include "widgets/timeline/page/timeline_page.h"
#include "widgets/timeline/view/timeline_view.h"

#include <QDir>
#include <QEvent>
#include <QMenuBar>
#include <QScrollArea>
#include <QTimer>

#include <algorithm>
#include <utility>

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

TourGuide::TourGuide(RunOpener* opener, PageTabs* tabs, IncidentBanner* banner, NoticeStrip* notices, QWidget* window)
    : m_opener(opener), m_tabs(tabs), m_banner(banner), m_notices(notices), m_window(window) {}

TourGuide::~TourGuide() = default;

bool TourGuide::isRecording(const QString& path) const {
    return (m_dir && path.startsWith(m_dir->path() + QLatin1Char('/'))) || (m_tour && path.startsWith(m_tour->run));
}

void TourGuide::keepFormer(QString& lastRun, QString& lastConfig) const {
    if (isRecording(lastRun))
        lastRun = m_tour ? m_tour->formerRun : QString();
    if (m_tour && m_tour->quickstartOpened && !file()->hasEdits())
        lastConfig = m_tour->formerConfig;
}

ConfigFile* TourGuide::file() const {
    return m_tabs->config()->file();
}

void TourGuide::start() {
    if (m_tour)
        return m_tour->panel->takeFocus();
    // a new copy each time: the last one may have been changed
    auto dir = std::make_unique<QTemporaryDir>(QDir::tempPath() + QStringLiteral("/rankscope-tour-XXXXXX"));
    if (!dir->isValid())
        return m_notices->showError(tr("The tour cannot start: %1").arg(dir->errorString()));
    const auto run = copyTour(findTour(), dir->path());
    if (!run)
        return m_notices->showError(tr("The tour cannot start: %1").arg(toQString(run.error().message())));
    m_tour = std::make_unique<Tour>();
    m_tour->run = *run;
    if (!isRecording(m_opener->dir()))
        m_tour->formerRun = m_opener->dir();
    if (file()->isOpen() && !isRecording(file()->path()))
        m_tour->formerConfig = file()->path();
    m_tour->outline = new TourOutline(m_window);
    m_tour->panel = new TourPanel(m_window);
    connect(m_tour->panel, &TourPanel::endRequested, this, &TourGuide::end);
    connect(m_tour->panel, &TourPanel::backRequested, this, [this] { goToStep(-1); });
    connect(m_tour->panel, &TourPanel::nextRequested, this, [this] { goToStep(1); });
    connect(m_tour->panel, &TourPanel::tryRequested, this, &TourGuide::tryQuickstart);
    emit runRequested(*run);
    m_dir = std::move(dir); // the last tour's run has been closed by now
    showStep();
    m_tour->panel->show();
    m_tour->panel->takeFocus();
}

void TourGuide::goToStep(int by) {
    const int next = static_cast<int>(m_tour->step) + by;
    if (next >= static_cast<int>(TourStep::Count))
        return end();
    m_tour->step = static_cast<TourStep>(std::max(0, next));
    m_tour->arrived = false;
    if (m_tour->step == TourStep::Configure)
        emit lastStepReached();
    showStep();
    m_tour->panel->takeFocus();
}

/// Sets the step's page, its visible range, and the part that the outline surrounds.
void TourGuide::arriveAtStep(const diagnosis::Incident& stall) {
    const std::int64_t startNs = m_opener->session()->view().info.startNs;
    switch (m_tour->step) {
    case TourStep::Banner:
    case TourStep::Board:
        m_tabs->showPage(Page::Review);
        m_tabs->review()->zoomAll();
        break;
    case TourStep::Wait:
        m_tabs->showPage(Page::Review);
        m_tabs->review()->setAxis(CurveAxis::Step);
        m_tabs->review()->showSteps(std::max<qint64>(0, stall.step - kAroundSteps), stall.step + kAroundSteps);
        break;
    case TourStep::Timeline:
        m_tabs->showPage(Page::Timeline);
        m_tabs->timeline()->showTime(stall.openedNs - startNs - kAroundNs, stall.closedNs - startNs + kAroundNs);
        break;
    case TourStep::Remedy:
        m_tabs->showPage(Page::Incidents);
        m_tabs->incidents()->select(stall.id);
        break;
    case TourStep::OwnProgram:
        m_tabs->showPage(Page::Review);
        m_tabs->review()->zoomAll();
        break;
    case TourStep::Configure:
        // never the recording's own recipe: its folder is removed with the window
        if (const QString quickstart = findQuickstart(); !quickstart.isEmpty() && !file()->hasEdits()) {
            m_tour->quickstartOpened |= file()->path() != quickstart;
            emit configRequested(quickstart);
        }
        m_tabs->showPage(Page::Configure);
        break;
    case TourStep::Count:
        break;
    }
}

QWidget* TourGuide::stepTarget() const {
    switch (m_tour->step) {
    case TourStep::Banner:
        return m_banner;
    case TourStep::Board:
        return m_tabs->review()->findChild<RankBoard*>();
    case TourStep::Wait:
        for (RankPlot* plot : m_tabs->review()->findChildren<RankPlot*>())
            if (plot->spec().duration && plot->isVisible())
                return plot;
        return m_tabs->review();
    case TourStep::Timeline:
        return m_tabs->timeline()->view();
    case TourStep::Remedy:
        return m_tabs->incidents()->findChild<QWidget*>(QStringLiteral("incidentRemedy"));
    case TourStep::OwnProgram: // in its menus is the command that the text names
        return m_window->findChild<QMenuBar*>();
    case TourStep::Configure:
        return m_tabs->config()->cards();
    case TourStep::Count:
        break;
    }
    return nullptr;
}

QPair<QString, QString> TourGuide::stepText(const diagnosis::Incident& stall) const {
    const QString holder = ranksText(stall.holders), waiter = ranksText(stall.waiters),
                  lasted = durationText(stall.closedNs - stall.openedNs);
    switch (m_tour->step) {
    case TourStep::Banner:
        return {tr("Who is holding up whom, and why"),
                tr("In this recorded run a data loader stalled for %1. During a live run, this banner appears after a "
                   "second: who is holding up whom, in which collective, what the holder is doing, and which setting "
                   "fixes it.")
                    .arg(lasted)};
    case TourStep::Board:
        return {tr("One tile per rank"),
                tr("Here you see what each rank is doing now. During a stall a triangle marks the rank that holds up "
                   "the others, an hourglass those that wait. Click a tile to show its rank alone.")};
    case TourStep::Wait:
        return {tr("The wait as a curve"), tr("In this one step %1 waited %2 and %3 did not: the rank that never waits "
                                              "is the one that holds up the others. Incidents are shaded. Zoom with "
                                              "the wheel, move by dragging, double-click to show the whole run.",
                                              "ranks that waited, time, ranks that held them")
                                               .arg(waiter, lasted, holder)};
    case TourStep::Timeline:
        return {tr("What each rank did"),
                tr("One lane per rank: %1 was in data_wait, while %2 waited in a collective (hatched). The arrow "
                   "points from the waiting rank to the one it waits for.",
                   "holder, waiters")
                    .arg(holder, waiter)};
    case TourStep::Remedy:
        return {
            tr("The evidence and the fix"),
            tr("Each stall is kept with its evidence: the file that was being read, the queue, the stacks. The recipe "
               "injected this one on purpose: this button opens the recipe without the fault, ready to launch. For a "
               "real stall it opens the recipe with the setting changed.")};
    case TourStep::OwnProgram:
        return {tr("Your own program"),
                tr("All of this works with your own PyTorch program, unchanged: NeMo, Lightning or plain DDP. In a "
                   "terminal, write \"rankscopectl run --\" before the command that starts it. In this window, choose "
                   "Run > Watch a command… (Ctrl+Shift+W).")};
    case TourStep::Configure:
        return {tr("Before the next launch"),
                findQuickstart().isEmpty()
                    ? tr("These three settings decide how ranks wait for each other; each shows its cost per step. "
                         "Below is the whole recipe next to NeMo's defaults. Launch starts it on this machine.")
                    : tr("These three settings decide how ranks wait for each other; each shows its cost per step. Now "
                         "try it: the quickstart trains two small ranks on this machine in about a minute, and one of "
                         "them stalls on purpose.")};
    case TourStep::Count:
        break;
    }
    return {};
}

/// Scrolls to the widget: a plot may be out of sight in a small window.
static void showInScrollArea(QWidget* widget) {
    for (QWidget* parent = widget->parentWidget(); parent; parent = parent->parentWidget())
        if (auto* area = qobject_cast<QScrollArea*>(parent))
            return area->ensureWidgetVisible(widget, 0, 0);
}

void TourGuide::showStep() {
    if (!m_tour || !m_opener->session())
        return;
    if (m_opener->dir() != m_tour->run) { // the user opened another run
        m_tour->formerRun.clear();
        return end();
    }
    const RunView& view = m_opener->session()->view();
    const diagnosis::Incident* found = stallOf(view);
    if (!found) {
        m_tour->panel->setStep(0, static_cast<int>(TourStep::Count), tr("Tour"), tr("Reading the recorded run…"));
        return place();
    }
    const diagnosis::Incident stall = *found; // a copy: opening another page may replace the view
    if (!m_tour->arrived) {
        m_tour->arrived = true;
        arriveAtStep(stall);
    }
    if (m_tour->step == TourStep::Banner) {
        diagnosis::Incident asItStood = stall;
        asItStood.closed = diagnosis::CloseReason::Open;
        asItStood.closedNs = 0;
        m_banner->setIncidents({asItStood}, stall.closedNs, true);
    } else {
        m_banner->setIncidents(view.incidents, view.knownNs, launch::isLive(view.info.state));
    }
    const auto [title, text] = stepText(stall);
    m_tour->panel->setStep(static_cast<int>(m_tour->step), static_cast<int>(TourStep::Count), title, text,
                           findQuickstart().isEmpty() ? QString() : tr("Try the quickstart"));
    if (m_tour->target)
        m_tour->target->removeEventFilter(this);
    m_tour->target = stepTarget();
    if (m_tour->target)
        m_tour->target->installEventFilter(this);
    place();
    QTimer::singleShot(0, this, [this] { // once the page has its layout
        if (m_tour && m_tour->target)
            showInScrollArea(m_tour->target);
        place();
    });
}

/// Returns where the timeline draws the stall's arrow: from who waits to whom it waits for, at the end of the wait.
static QRect arrowOf(const TimelineScene& scene, const diagnosis::Incident& stall, std::int64_t startNs) {
    constexpr int kBesideArrow = 24; // for its dot, its head and its slope
    if (stall.waiters.empty() || stall.holders.empty())
        return {};
    const auto ns = static_cast<double>(stall.closedNs - startNs);
    const QPoint from = scene.pointOf(stall.waiters.front(), ns, LanePart::Collectives),
                 to = scene.pointOf(stall.holders.front(), ns, LanePart::Collectives);
    return QRect(from, to).normalized().adjusted(-kBesideArrow, 0, kBesideArrow, 0);
}

QList<QRect> TourGuide::stepParts(const QRect& outlined) const {
    const auto inWindow = [this](const QWidget* part) {
        return part && part->isVisible() ? QRect(part->mapTo(m_window, QPoint()), part->size()) : QRect();
    };
    if (m_tour->step == TourStep::Configure)
        return {outlined, inWindow(m_tabs->config()->launchPanel()), inWindow(m_tabs->config()->recipe())};
    const RunView* run = m_opener->session() ? &m_opener->session()->view() : nullptr;
    const diagnosis::Incident* stall = run ? stallOf(*run) : nullptr;
    if (m_tour->step != TourStep::Timeline || !stall)
        return {outlined};
    const TimelineView* lanes = m_tabs->timeline()->view();
    const QPoint origin = lanes->viewport()->mapTo(m_window, QPoint());
    // the lanes fill the page; the text is about the arrow and their upper part
    return {arrowOf(lanes->scene(), *stall, run->info.startNs).translated(origin),
            inWindow(m_tabs->timeline()->findChild<TimelineLegend*>()),
            outlined.adjusted(0, 0, 0, -outlined.height() * 2 / 5)};
}

void TourGuide::place() {
    if (!m_tour)
        return;
    const QWidget* target = m_tour->target;
    const QRect seen = target && target->isVisible() ? target->visibleRegion().boundingRect() : QRect();
    const QRect around = seen.isEmpty() ? QRect() : seen.translated(target->mapTo(m_window, QPoint()));
    m_tour->outline->surround(around);
    const QWidget* page = m_tabs->currentWidget();
    m_tour->panel->place(QRect(page->mapTo(m_window, QPoint()), page->size()), stepParts(around));
}

bool TourGuide::eventFilter(QObject* watched, QEvent* event) {
    const auto type = event->type();
    if (m_tour && watched == m_tour->target &&
        (type == QEvent::Resize || type == QEvent::Move || type == QEvent::Show || type == QEvent::Hide))
        QTimer::singleShot(0, this, &TourGuide::place);
    return QObject::eventFilter(watched, event);
}

/// Closes the recording, because what is launched from here on is the user's own run.
void TourGuide::tryQuickstart() {
    if (!m_tour)
        return;
    m_tour->formerConfig.clear();
    m_tour->formerRun.clear();
    end();
    m_opener->close();
    emit configRequested(findQuickstart());
    m_tabs->showStatus(tr("The quickstart is open: press Launch (Ctrl+Enter)."));
}

void TourGuide::relaunch(const QString& key, const QString& yaml) {
    const QString quickstart = findQuickstart();
    if (quickstart.isEmpty())
        return m_notices->showError(
            tr("This run is the tour's recording and cannot be launched again. Open your own recipe instead (Ctrl+O)."),
            QStringLiteral("open"));
    end();
    emit configRequested(quickstart);
    if (key.isEmpty() || file()->path() != quickstart)
        return;
    if (const auto set = file()->setValues({{key, yaml}}); !set)
        m_notices->showError(toQString(set.error().message()));
}

void TourGuide::end() {
    if (!m_tour)
        return;
    const auto tour = std::move(m_tour);
    if (tour->target)
        tour->target->removeEventFilter(this);
    tour->panel->hide();
    tour->panel->deleteLater();
    tour->outline->hide();
    tour->outline->deleteLater();
    if (m_opener->session())
        m_banner->setIncidents(m_opener->session()->view().incidents, m_opener->session()->view().knownNs,
                               launch::isLive(m_opener->session()->view().info.state));
    // reopens what the user had open before; without a run, the recording stays open
    if (!tour->formerConfig.isEmpty() && tour->quickstartOpened && !file()->hasEdits())
        m_tabs->config()->open(tour->formerConfig);
    if (!tour->formerRun.isEmpty())
        emit runRequested(tour->formerRun);
    m_tabs->currentWidget()->setFocus(Qt::OtherFocusReason);
    m_tabs->showStatus(tr("You can take the tour again: Help > Tour"));
}

} // namespace rankscope::ui
