// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/models/timeline/timeline_loader.h"
#include "widgets/plots/axes/plot_range.h"

#include <QPointer>
#include <QTimer>

#include <optional>

class QWidget;

namespace rankscope::ui {

class RunSession;
class TimelineView;

/// Reads what the timeline has in view, at screen resolution, and shows it there; a live run is read again as it
/// progresses. Nothing is read while the page is hidden.
class TimelineFeed final : public QObject {
    Q_OBJECT
public:
    /// The page owns all three.
    TimelineFeed(QWidget* page, TimelineView* view, TimelineLoader* loader);

    void setSession(RunSession* session); ///< null: none
    void ask();                           ///< requests what is in view, unless it has been read
    void scheduleRequest();
    void pageShown();
    std::int64_t lastNs() const { return m_lastNs; }     ///< the end of the run in the newest reply
    const QString& problem() const { return m_problem; } ///< why the newest request failed; empty: it did not
    bool isComplete() const;

signals:
    void answered();
    void readAgain(); ///< call it if the store has more

private:
    TimelineRequest requestFor(PlotRange range) const;
    void requestSummary(bool again); ///< for what is in view; `again`: even if it has been read
    void request(const TimelineRequest& wanted);
    void requestOverview(const TimelineRequest& wanted);
    void noteStoreChange();
    void storeChanged();
    void take(const TimelineReplyPtr& reply, std::optional<TimelineRequest>& underway,
              void (TimelineView::*show)(const TimelineReplyPtr&));

    QWidget* m_page;
    TimelineView* m_view;
    TimelineLoader* m_loader;
    QPointer<RunSession> m_session;
    QTimer m_askTimer, m_storeTimer;
    /// m_lastReadNs: time that reading the newest reply took
    std::int64_t m_lastNs = 0, m_lastReadNs = 0;
    std::optional<TimelineRequest> m_asked, m_overviewUnderway; ///< not answered yet
    QString m_problem;
    bool m_storeIsNewer = false, m_overviewAsked = false;
};

} // namespace rankscope::ui
