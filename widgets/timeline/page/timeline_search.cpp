// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/timeline/page/timeline_search.h"

#include "widgets/models/text/text_format.h"
#include "widgets/timeline/page/timeline_toolbar.h"
#include "widgets/timeline/view/timeline_view.h"

#include <QLineEdit>

#include <algorithm>

namespace rankscope::ui {

static constexpr int kSearchDelayMs = 250;

TimelineSearch::TimelineSearch(TimelineToolbar* toolbar, TimelineView* view, TimelineLoader* loader, QObject* parent)
    : QObject(parent), m_toolbar(toolbar), m_view(view), m_loader(loader) {
    m_timer.setSingleShot(true);
    connect(&m_timer, &QTimer::timeout, this, &TimelineSearch::start);
    connect(toolbar, &TimelineToolbar::searchEdited, this, [this] { m_timer.start(kSearchDelayMs); });
    connect(toolbar, &TimelineToolbar::nextHitClicked, this, [this] { step(1); });
    connect(toolbar, &TimelineToolbar::previousHitClicked, this, [this] { step(-1); });
    connect(loader, &TimelineLoader::found, this, &TimelineSearch::take);
}

void TimelineSearch::setStore(const std::filesystem::path& store) {
    m_store = store;
    m_toolbar->search()->clear();
    m_timer.stop();
    clearHits();
}

void TimelineSearch::clearHits() {
    m_hits = {};
    m_hit = -1;
    m_view->setHits({}, -1);
    m_toolbar->setHitText({}, {}, false);
}

QString TimelineSearch::searchedText() {
    return tr("Searched: phases and collectives that are kept individually, and all steps");
}

void TimelineSearch::start() {
    const TimelineQuery query = parseTimelineQuery(m_toolbar->search()->text());
    clearHits();
    if (m_store.empty() || query.isEmpty())
        return;
    m_toolbar->setHitText(tr("searching…"), {}, false);
    m_loader->search(m_store, query);
}

void TimelineSearch::take(const TimelineHits& found) {
    m_hits = found;
    m_hit = -1;
    if (!found.error.isEmpty()) {
        m_toolbar->setHitText(tr("failed"), found.error, false);
        emit failed(found.error);
        return;
    }
    if (found.hits.empty())
        return m_toolbar->setHitText(tr("no hits"), searchedText(), false);
    const auto inView = std::find_if(found.hits.begin(), found.hits.end(), [this](const TimelineHit& h) {
        return static_cast<double>(h.span.endNs) >= m_view->window().lo;
    });
    m_hit = inView == found.hits.end() ? 0 : static_cast<int>(inView - found.hits.begin());
    show();
}

void TimelineSearch::step(int direction) {
    if (m_timer.isActive()) { // Enter was pressed right after typing
        m_timer.stop();
        return start();
    }
    if (m_hits.hits.empty())
        return;
    const int count = static_cast<int>(m_hits.hits.size());
    m_hit = (m_hit + direction + count) % count;
    show();
}

void TimelineSearch::show() {
    const TimelineHit& at = m_hits.hits[static_cast<std::size_t>(m_hit)];
    const QString count =
        countText(static_cast<std::int64_t>(m_hits.hits.size())) + (m_hits.more ? QStringLiteral("+") : QString());
    m_toolbar->setHitText(tr("%1 of %2").arg(countText(m_hit + 1), count), searchedText(), true);
    m_view->setHits(m_hits.hits, m_hit);
    TimelinePick pick;
    pick.kind = at.wholeStep ? TimelinePick::PickKind::Step : TimelinePick::PickKind::Span;
    pick.rank = at.rank;
    pick.span = at.span;
    if (at.span.collective)
        pick.tag = toQString(at.tag.empty() ? telemetry::opName(at.span.op) : std::string_view(at.tag));
    m_view->select(std::move(pick));
    m_view->reveal(at.rank, at.span.beginNs, at.span.endNs);
}

} // namespace rankscope::ui
