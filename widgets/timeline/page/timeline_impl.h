// SPDX-License-Identifier: GPL-3.0-or-later
// The parts of the Timeline page and how they are wired; TimelinePage is the face that other pages see.
#pragma once

#include "widgets/models/timeline/timeline_loader.h"
#include "widgets/timeline/panes/step_batch_pane.h"
#include "widgets/timeline/panes/span_details.h"
#include "widgets/timeline/panes/stats_pane.h"
#include "widgets/timeline/page/timeline_legend.h"
#include "widgets/timeline/page/timeline_page.h"
#include "widgets/timeline/page/timeline_toolbar.h"
#include "widgets/timeline/view/timeline_view.h"
#include "widgets/timeline/page/trace_job.h"
#include "widgets/waits/waits_pane.h"

#include <QElapsedTimer>
#include <QLabel>
#include <QPointer>
#include <QSplitter>
#include <QStackedWidget>
#include <QTabWidget>
#include <QTimer>

namespace rankscope::ui {

struct TimelinePage::Impl final : QObject {
    explicit Impl(TimelinePage* timelinePage);

    void setSession(RunSession* next);
    bool isComplete() const;
    void retranslate();
    void updateView();
    void updateLimits();
    void updateNotice();
    void replyShown(); ///< another reply is painted from
    void updateRange();
    void updateEmpty();
    void ask(); ///< for what is in view, when it is not there
    void askSoon();
    void askWaits();                     ///< of the selected part, or of what is in view
    void askStats(bool mayWait = false); ///< the same
    void askSummary(bool again = false); ///< of what is in view; `again`: the store has more
    void storeChanged();
    void take(const TimelineReplyPtr& reply, std::optional<TimelineRequest>& underway,
              void (TimelineView::*show)(const TimelineReplyPtr&));
    void selectionChanged();
    void startSearch();
    void takeHits(const TimelineHits& found);
    void stepHit(int direction);
    void showHit();
    void setDetailsShown(bool on);
    void showStats(); ///< in front
    void showStatsOfSelected();
    void showCause();
    void openFile(const QString& file, bool inFolder);
    QString fileReadIn(const TimelinePick& pick) const;
    void clearSelection(); ///< span, part, then what statistics are limited to
    void menu(const QPoint& global);
    void traceDone(const QString& file, const QString& why, bool cancelled);

    TimelinePage* page;
    QPointer<RunSession> session;
    TimelineLoader loader;
    TraceJob trace;
    QStackedWidget* stack = nullptr;
    QLabel *empty = nullptr, *notice = nullptr, *traceText = nullptr;
    TimelineToolbar* toolbar = nullptr;
    TimelineView* view = nullptr;
    TimelineLegend* legend = nullptr;
    QSplitter* splitter = nullptr;
    QTabWidget* below = nullptr;
    SpanDetails* details = nullptr;
    BatchPane* batch = nullptr;
    WaitsPane* waits = nullptr;
    StatsPane* stats = nullptr;
    bool statsOfRun = false; ///< statistics of the whole run, where no part is selected
    QWidget* traceBar = nullptr;
    QPushButton* traceCancel = nullptr;

    QTimer askTimer, searchTimer, storeTimer, nowTimer;
    std::int64_t lastNs = 0;                                ///< of the newest reply
    std::int64_t lastReadNs = 0;                            ///< what the newest reply took
    std::optional<TimelineRequest> asked, overviewUnderway; ///< and not answered yet
    QString problem;                                        ///< why the newest request was not answered
    bool storeIsNewer = false, overviewAsked = false;
    bool silent = false;                      ///< the window is moved from outside, or by the clock
    const TimelineReply* described = nullptr; ///< that the legend tells of; compared only
    bool anyPhases = false;                   ///< in it
    bool byClock = false;                     ///< the window moves because time goes on
    TimelineHits hits;
    int hit = -1;

private:
    void build();
    void connectParts();
    TimelineRequest requestFor(PlotRange range) const;
    void request(const TimelineRequest& wanted);
    void requestOverview(const TimelineRequest& wanted);
};

} // namespace rankscope::ui
