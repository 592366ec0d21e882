// SPDX-License-Identifier: GPL-3.0-or-later
// Search, the context menu and the end of an export.
#include "widgets/models/run/run_session.h"
#include "widgets/models/text/text_format.h"
#include "widgets/timeline/page/timeline_impl.h"

#include <QApplication>
#include <QDesktopServices>
#include <QDir>
#include <QFileInfo>
#include <QLineEdit>
#include <QMenu>
#include <QThreadPool>
#include <QUrl>

#include <algorithm>

namespace rankscope::ui {

void TimelinePage::Impl::startSearch() {
    const TimelineQuery query = parseTimelineQuery(toolbar->search()->text());
    hits = {};
    hit = -1;
    view->setHits({}, -1);
    if (!session || query.isEmpty()) {
        toolbar->setHitText({}, {}, false);
        return;
    }
    toolbar->setHitText(TimelinePage::tr("searching…"), {}, false);
    loader.search(session->run().store(), query);
}

void TimelinePage::Impl::takeHits(const TimelineHits& found) {
    hits = found;
    hit = -1;
    if (!found.error.isEmpty()) {
        toolbar->setHitText(TimelinePage::tr("failed"), found.error, false);
        emit page->failed(found.error);
        return;
    }
    if (found.hits.empty()) {
        toolbar->setHitText(TimelinePage::tr("no hit"),
                            TimelinePage::tr("Searched: phases and collectives that are kept singly, and all steps"),
                            false);
        return;
    }
    const auto inView = std::find_if(found.hits.begin(), found.hits.end(), [this](const TimelineHit& h) {
        return static_cast<double>(h.span.endNs) >= view->window().lo;
    });
    hit = inView == found.hits.end() ? 0 : static_cast<int>(inView - found.hits.begin());
    showHit();
}

void TimelinePage::Impl::stepHit(int direction) {
    if (searchTimer.isActive()) { // Enter right after typing
        searchTimer.stop();
        return startSearch();
    }
    if (hits.hits.empty())
        return;
    const int count = static_cast<int>(hits.hits.size());
    hit = (hit + direction + count) % count;
    showHit();
}

void TimelinePage::Impl::showHit() {
    const TimelineHit& at = hits.hits[static_cast<std::size_t>(hit)];
    const QString count =
        countText(static_cast<std::int64_t>(hits.hits.size())) + (hits.more ? QStringLiteral("+") : QString());
    toolbar->setHitText(TimelinePage::tr("%1 of %2").arg(countText(hit + 1), count),
                        TimelinePage::tr("Searched: phases and collectives that are kept singly, and all steps"), true);
    view->setHits(hits.hits, hit);
    TimelinePick pick;
    pick.kind = at.wholeStep ? TimelinePick::Kind::Step : TimelinePick::Kind::Span;
    pick.rank = at.rank;
    pick.span = at.span;
    if (at.span.collective)
        pick.tag = toQString(at.tag.empty() ? telemetry::opName(at.span.op) : std::string_view(at.tag));
    view->select(std::move(pick));
    view->reveal(at.rank, at.span.beginNs, at.span.endNs);
}

void TimelinePage::Impl::showStats() {
    below->setCurrentWidget(stats);
    setDetailsShown(true);
    askStats();
}

/// Of a span all of its kind, in the selected part or in the whole run; of a step its time.
void TimelinePage::Impl::showStatsOfSelected() {
    const auto pick = view->selected();
    if (!pick)
        return;
    if (pick->kind == TimelinePick::Kind::Span) {
        StatsRow kind;
        kind.wait = pick->span.collective;
        if (kind.wait && pick->tag != toQString(telemetry::opName(pick->span.op))) // else it has no tag
            kind.family = pick->tag.section(u':', 0, 0).toStdString();
        if (!kind.wait)
            kind.phase = pick->span.phase;
        stats->showOnly(kind);
        statsOfRun = !view->brush();
    } else {
        stats->showAll();
        view->setBrush(PlotRange{static_cast<double>(pick->span.beginNs), static_cast<double>(pick->span.endNs)});
    }
    showStats();
}

void TimelinePage::Impl::showCause() {
    const auto cause = details->cause();
    if (!cause || !view->selected())
        return emit page->message(TimelinePage::tr("Select a wait first: its cause is shown with its details"));
    view->showSpan(view->selected()->span.holder, *cause, {});
}

/// Of a stall for data an incident names the file that was being read.
QString TimelinePage::Impl::fileReadIn(const TimelinePick& pick) const {
    if (!session || pick.kind != TimelinePick::Kind::Span || pick.span.collective ||
        pick.span.phase != telemetry::Phase::DataWait)
        return {};
    const RunView& now = session->view();
    for (const auto& incident : now.incidents) {
        const bool holds =
            std::find(incident.holders.begin(), incident.holders.end(), pick.rank) != incident.holders.end();
        const std::int64_t opened = incident.openedNs - now.info.startNs;
        const std::int64_t closed = incident.closedNs == 0 ? INT64_MAX : incident.closedNs - now.info.startNs;
        const auto path = incident.evidence.find("reading_path");
        if (holds && path != incident.evidence.end() && path->is_string() && opened < pick.span.endNs &&
            closed > pick.span.beginNs)
            return toQString(path->get_ref<const std::string&>());
    }
    return {};
}

/// A path of a manifest may be relative to the folder that the run was launched from, which is not recorded: mostly one
/// above the recipe.
static QString existingFile(const QString& file, const QString& recipe) {
    if (QFileInfo::exists(file))
        return QFileInfo(file).absoluteFilePath();
    QDir folder = QFileInfo(recipe).absoluteDir();
    if (QFileInfo(file).isRelative() && !recipe.isEmpty())
        do
            if (folder.exists(file))
                return folder.absoluteFilePath(file);
        while (folder.cdUp());
    return {};
}

void TimelinePage::Impl::openFile(const QString& file, bool inFolder) {
    if (!session)
        return;
    const QString recipe = toQString(session->view().info.configPath);
    // a disk that does not answer must not hold the window
    QThreadPool::globalInstance()->start([file, recipe, inFolder, self = QPointer<TimelinePage>(page)] {
        const QString found = existingFile(file, recipe);
        QMetaObject::invokeMethod(qApp, [file, found, inFolder, self] {
            if (!self)
                return;
            if (found.isEmpty())
                emit self->message(TimelinePage::tr("%1 was not found: it was moved, or its path is relative to "
                                                    "another folder")
                                       .arg(file));
            else if (!QDesktopServices::openUrl(
                         QUrl::fromLocalFile(inFolder ? QFileInfo(found).absolutePath() : found)))
                emit self->message(TimelinePage::tr("No program was found that opens %1").arg(found));
        });
    });
}

void TimelinePage::Impl::clearSelection() {
    if (view->selected())
        return view->select(std::nullopt);
    statsOfRun = false;
    stats->showAll();
    view->setBrush(std::nullopt);
    askStats();
}

void TimelinePage::Impl::menu(const QPoint& global) {
    auto* menu = new QMenu(page);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    const auto pick = view->selected();
    if (pick) {
        menu->addAction(TimelinePage::tr("Copy as text"), details, &SpanDetails::copy);
        menu->addAction(TimelinePage::tr("Zoom to it"), view, [this, pick] {
            const double length = std::max(static_cast<double>(pick->span.lengthNs()), 10.0);
            const double begin = static_cast<double>(pick->span.beginNs);
            view->showWindow({begin - 0.1 * length, begin + 1.1 * length});
        });
        if (pick->kind != TimelinePick::Kind::Column)
            menu->addAction(pick->kind == TimelinePick::Kind::Span ? TimelinePage::tr("Statistics of all these")
                                                                   : TimelinePage::tr("Statistics of this part"),
                            this, &Impl::showStatsOfSelected);
        if (details->cause())
            menu->addAction(TimelinePage::tr("Show what caused the wait"), this, &Impl::showCause);
        if (pick->span.step >= 0)
            menu->addAction(TimelinePage::tr("Show step in Review"), page,
                            [this, pick] { emit page->stepRequested(pick->span.step); });
        menu->addAction(TimelinePage::tr("Log of the rank"), page,
                        [this, pick] { emit page->logRequested(pick->rank, pick->span.beginNs); });
        menu->addSeparator();
    }
    if (view->brush()) {
        menu->addAction(TimelinePage::tr("Statistics of the selection"), this, &Impl::showStats);
        menu->addAction(TimelinePage::tr("Zoom to the selection"), view, &TimelineView::zoomToBrush);
        menu->addAction(TimelinePage::tr("Clear the selection"), view, [this] { view->setBrush(std::nullopt); });
    }
    menu->addAction(TimelinePage::tr("Show the whole run"), view, &TimelineView::zoomAll);
    menu->addAction(TimelinePage::tr("Export as a Chrome trace…"), page, &TimelinePage::exportTrace);
    menu->popup(global);
}

void TimelinePage::Impl::traceDone(const QString& file, const QString& why, bool cancelled) {
    traceBar->hide();
    if (cancelled)
        emit page->message(TimelinePage::tr("The export was cancelled; no file was written"));
    else if (why.isEmpty())
        emit page->message(TimelinePage::tr("Written: %1").arg(file));
    else
        emit page->failed(why);
}

} // namespace rankscope::ui
