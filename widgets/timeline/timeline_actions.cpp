// SPDX-License-Identifier: GPL-3.0-or-later
// Search, the context menu and the end of an export.
#include "widgets/models/run_session.h"
#include "widgets/models/words.h"
#include "widgets/timeline/timeline_impl.h"

#include <QLineEdit>
#include <QMenu>

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
        emit page->message(found.error);
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
    view->reveal(at.rank, at.span.beginNs, at.span.endNs);
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
        if (pick->span.step >= 0)
            menu->addAction(TimelinePage::tr("Show step in Review"), page,
                            [this, pick] { emit page->stepRequested(pick->span.step); });
        menu->addAction(TimelinePage::tr("Log of the rank"), page,
                        [this, pick] { emit page->logRequested(pick->rank, pick->span.beginNs); });
        menu->addSeparator();
    }
    if (view->brush()) {
        menu->addAction(TimelinePage::tr("Zoom to the selection"), view, &TimelineView::zoomToBrush);
        menu->addAction(TimelinePage::tr("Drop the selection"), view, [this] { view->setBrush(std::nullopt); });
    }
    menu->addAction(TimelinePage::tr("Show the whole run"), view, &TimelineView::zoomAll);
    menu->addAction(TimelinePage::tr("Export as a Chrome trace…"), page, &TimelinePage::exportTrace);
    menu->popup(global);
}

void TimelinePage::Impl::traceDone(const QString& file, const QString& why, bool cancelled) {
    traceBar->hide();
    if (cancelled)
        emit page->message(TimelinePage::tr("The export was cancelled; no file was written"));
    else
        emit page->message(why.isEmpty() ? TimelinePage::tr("Written: %1").arg(file) : why);
}

} // namespace rankscope::ui
