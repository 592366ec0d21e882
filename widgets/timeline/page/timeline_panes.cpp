// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/timeline/page/timeline_panes.h"

#include "widgets/controls/files/manifest_file.h"
#include "widgets/models/run/run_session.h"
#include "widgets/models/text/text_format.h"
#include "widgets/models/timeline/timeline_loader.h"
#include "widgets/theme/language_change.h"
#include "widgets/timeline/panes/span_details.h"
#include "widgets/timeline/panes/stats_pane.h"
#include "widgets/timeline/panes/step_batch_pane.h"
#include "widgets/timeline/view/timeline_view.h"
#include "widgets/waits/waits_pane.h"

#include <algorithm>

namespace rankscope::ui {

namespace {
constexpr double kSettledNs = 2e10; ///< ranks are usually not further apart than this
} // namespace

TimelinePanes::TimelinePanes(TimelineView* view, TimelineLoader* loader, QWidget* parent)
    : QTabWidget(parent), m_view(view), m_loader(loader), m_details(new SpanDetails), m_stats(new StatsPane),
      m_waits(new WaitsPane), m_batch(new BatchPane) {
    setDocumentMode(true);
    for (QWidget* pane : std::initializer_list<QWidget*>{m_details, m_stats, m_waits, m_batch})
        addTab(pane, QString());
    hide();
    connectPanes();
    retranslate();
    onLanguageChange(this, [this] { retranslate(); });
}

void TimelinePanes::connectPanes() {
    connect(m_loader, &TimelineLoader::detailRead, m_details, &SpanDetails::setDetail);
    connect(m_view, &TimelineView::selectionChanged, this, &TimelinePanes::selectionChanged);
    connect(m_view, &TimelineView::brushChanged, this, [this] {
        m_statsOfRun = false;
        request();
    });
    connect(m_view, &TimelineView::brushFinished, this, [this] {
        if (isHidden() || currentWidget() == m_details)
            showStats();
    });
    connect(m_view, &TimelineView::causeRequested, this, &TimelinePanes::showCause);
    connect(m_view, &TimelineView::detailsRequested, this, [this] { setShown(true); });
    connect(m_stats, &StatsPane::spanRequested, m_view, &TimelineView::showSpan);
    connect(m_details, &SpanDetails::causeRequested, this, &TimelinePanes::showCause);
    connect(m_details, &SpanDetails::statsRequested, this, &TimelinePanes::showStatsOfSelected);
    connect(m_details, &SpanDetails::fileRequested, this, &TimelinePanes::openFile);
    connect(m_details, &SpanDetails::stepRequested, this, &TimelinePanes::stepRequested);
    connect(m_details, &SpanDetails::logRequested, this, &TimelinePanes::logRequested);
    connect(m_batch, &BatchPane::fileRequested, this, &TimelinePanes::openFile);
}

void TimelinePanes::retranslate() {
    setTabText(indexOf(m_details), tr("Details"));
    setTabText(indexOf(m_stats), tr("Statistics"));
    setTabText(indexOf(m_waits), tr("Who waits for whom"));
    setTabText(indexOf(m_batch), tr("Batch"));
}

void TimelinePanes::setSession(RunSession* session) {
    m_session = session;
    m_details->setPick(std::nullopt);
    m_batch->setRequest(std::nullopt);
    m_waits->clear();
    m_stats->clear();
    m_statsOfRun = false;
}

PlotRange TimelinePanes::part() const {
    return m_view->brush().value_or(m_view->window());
}

PlotRange TimelinePanes::partOfStats() const {
    return m_statsOfRun && !m_view->brush() ? m_view->limits() : part();
}

void TimelinePanes::request() {
    requestWaits();
    requestStats();
}

void TimelinePanes::requestAgain(std::int64_t lastNs) {
    requestWaits();
    const PlotRange range = partOfStats();
    if (range.hi >= static_cast<double>(lastNs) - kSettledNs) // otherwise the run continues outside the shown part
        requestStatsIn(range, true);
}

void TimelinePanes::requestWaits() {
    if (!m_session || m_view->scene().rankCount() == 0)
        return;
    const PlotRange range = part();
    m_waits->setRequest({m_session->run().store(), true, static_cast<std::int64_t>(range.lo),
                         static_cast<std::int64_t>(range.hi), m_view->brush().has_value()});
}

void TimelinePanes::requestStats() {
    requestStatsIn(partOfStats(), false);
}

void TimelinePanes::requestStatsIn(PlotRange range, bool mayWait) {
    if (!m_session || m_view->scene().rankCount() == 0)
        return;
    m_stats->setRequest(
        {m_session->run().store(), static_cast<std::int64_t>(range.lo), static_cast<std::int64_t>(range.hi)},
        m_view->brush() ? StatsPane::StatsScope::Selection
        : m_statsOfRun  ? StatsPane::StatsScope::WholeRun
                        : StatsPane::StatsScope::View,
        mayWait);
}

void TimelinePanes::setOpenWaits(const RunView& now) {
    const bool reachesEnd = part().hi >= m_view->limits().hi - 1e9;
    m_waits->setOpenWaits(reachesEnd ? now.openWaits : std::vector<diagnosis::OpenWait>{}, now.openUntilNs,
                          launch::isLive(now.info.state));
}

bool TimelinePanes::isComplete() const {
    return m_waits->isComplete() && m_stats->isComplete();
}

void TimelinePanes::selectionChanged() {
    const auto& pick = m_view->selected();
    m_details->setPick(pick, pick ? fileReadIn(*pick) : QString());
    m_view->setAccessibleDescription(pick ? m_details->asText() : QString());
    const bool ofStep = m_session && pick && pick->span.step >= 0;
    m_batch->setRequest(ofStep ? std::optional(BatchRequest{m_session->run(), pick->span.step, pick->rank})
                               : std::nullopt);
    if (!pick)
        return;
    setCurrentWidget(m_details);
    setShown(true);
    const bool single = pick->kind == TimelinePick::PickKind::Span || pick->kind == TimelinePick::PickKind::Step;
    if (m_session && single)
        m_loader->requestDetail(m_session->run().store(), pick->rank, pick->span);
}

void TimelinePanes::setShown(bool on) {
    setVisible(on);
    emit shownChanged(on);
}

void TimelinePanes::showStats() {
    setCurrentWidget(m_stats);
    setShown(true);
    requestStats();
}

/// Shows statistics of all spans of the selected span's kind, in the selected part or in the whole run; of a step, its
/// time.
void TimelinePanes::showStatsOfSelected() {
    const auto pick = m_view->selected();
    if (!pick)
        return;
    if (pick->kind == TimelinePick::PickKind::Span) {
        StatsRow kind;
        kind.wait = pick->span.collective;
        // a span without a tag has the operation's name here
        if (kind.wait && pick->tag != toQString(telemetry::opName(pick->span.op)))
            kind.family = pick->tag.section(u':', 0, 0).toStdString();
        if (!kind.wait)
            kind.phase = pick->span.phase;
        m_stats->showOnly(kind);
        m_statsOfRun = !m_view->brush();
    } else {
        m_stats->showAll();
        m_view->setBrush(PlotRange{static_cast<double>(pick->span.beginNs), static_cast<double>(pick->span.endNs)});
    }
    showStats();
}

void TimelinePanes::showCause() {
    const auto cause = m_details->cause();
    if (!cause || !m_view->selected())
        return emit message(tr("Select a wait first: its cause is shown with its details"));
    m_view->showSpan(m_view->selected()->span.holder, *cause, {});
}

void TimelinePanes::clearSelection() {
    if (m_view->selected())
        return m_view->select(std::nullopt);
    m_statsOfRun = false;
    m_stats->showAll();
    m_view->setBrush(std::nullopt);
    requestStats();
}

/// Returns the file that was being read during a stall for data, if an incident names it.
QString TimelinePanes::fileReadIn(const TimelinePick& pick) const {
    if (!m_session || pick.kind != TimelinePick::PickKind::Span || pick.span.collective ||
        pick.span.phase != telemetry::Phase::DataWait)
        return {};
    const RunView& now = m_session->view();
    for (const auto& incident : now.incidents) {
        const bool holds =
            std::find(incident.holders.begin(), incident.holders.end(), pick.rank) != incident.holders.end();
        const std::int64_t opened = incident.openedNs - now.info.startNs;
        const std::int64_t closed = incident.closedNs == 0 ? INT64_MAX : incident.closedNs - now.info.startNs;
        const auto& path = incident.evidence.readingPath;
        if (holds && path && opened < pick.span.endNs && closed > pick.span.beginNs)
            return toQString(*path);
    }
    return {};
}

void TimelinePanes::openFile(const QString& file, bool inFolder) {
    if (m_session)
        openManifestFile(file, toQString(m_session->view().info.configPath), inFolder, this,
                         [this](const QString& problem) { emit message(problem); });
}

} // namespace rankscope::ui
