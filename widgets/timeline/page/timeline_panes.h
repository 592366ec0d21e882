// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/models/view/run_view.h"
#include "widgets/plots/axes/plot_range.h"

#include <QPointer>
#include <QTabWidget>

namespace rankscope::ui {

class BatchPane;
class RunSession;
class SpanDetails;
class StatsPane;
class TimelineLoader;
class TimelineView;
class WaitsPane;
struct TimelinePick;

/// The panes below the lanes: details of the selected span and the batch of its step; statistics and who waits for whom
/// in the selected part, or in what is in view.
class TimelinePanes final : public QTabWidget {
    Q_OBJECT
public:
    /// The page owns view and loader.
    TimelinePanes(TimelineView* view, TimelineLoader* loader, QWidget* parent = nullptr);

    void setSession(RunSession* session); ///< clears the panes; null: no run
    /// Requests statistics and waits of the selected part, or of what is in view.
    void request();
    /// The same for a store that has grown, if the part reaches near its end; `lastNs`: the end of the run in it.
    void requestAgain(std::int64_t lastNs);
    void setOpenWaits(const RunView& now); ///< of a part that reaches the end
    bool isComplete() const;

    const SpanDetails* details() const { return m_details; }

public slots:
    void setShown(bool on);
    void showStats(); ///< brings them to the front
    void showStatsOfSelected();
    void showCause();
    void clearSelection(); ///< clears the span; if none, the part and the statistics' limit

signals:
    void shownChanged(bool on);
    void stepRequested(qint64 step);
    void logRequested(int rank, qint64 timeNs);
    void message(const QString& text); ///< what was done, or why nothing was

private:
    void connectPanes();
    void retranslate();
    PlotRange part() const; ///< the selected one, or what is in view
    void requestWaits();
    void requestStats();
    void requestStatsIn(PlotRange part, bool mayWait);
    PlotRange partOfStats() const;
    void selectionChanged();
    void openFile(const QString& file, bool inFolder);
    QString fileReadIn(const TimelinePick& pick) const;

    QPointer<RunSession> m_session;
    TimelineView* m_view;
    TimelineLoader* m_loader;
    SpanDetails* m_details;
    StatsPane* m_stats;
    WaitsPane* m_waits;
    BatchPane* m_batch;
    bool m_statsOfRun = false; ///< statistics are of the whole run if no part is selected
};

} // namespace rankscope::ui
