// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTabWidget>

namespace rankscope::ui {

class ConfigPage;
class IncidentPage;
class LogPage;
class ReviewPage;
class RunsPage;
class RunSession;
class StatusLine;
class TimelinePage;
struct RunView;

enum class Page { Configure, Review, Timeline, Incidents, Logs, Runs };

/// The window's pages as tabs, with what was just done beside them, and the ways that lead from one page to another.
class PageTabs final : public QTabWidget {
    Q_OBJECT
public:
    explicit PageTabs(QWidget* parent);
    ~PageTabs() override;

    ConfigPage* config() const { return m_config; }
    ReviewPage* review() const { return m_review; }
    TimelinePage* timeline() const { return m_timeline; }
    IncidentPage* incidents() const { return m_incidents; }
    LogPage* logs() const { return m_logs; }
    RunsPage* runs() const { return m_runs; }
    StatusLine* status() const { return m_status; }

    Page page() const { return static_cast<Page>(currentIndex()); }
    void showPage(Page wanted) { setCurrentIndex(static_cast<int>(wanted)); }
    void showStep(qint64 step);            ///< on the Review page
    void showIncident(qint64 id);          ///< on the Incidents page
    void showLog(int rank, qint64 timeNs); ///< timeNs since the run's start; -1: the newest

    /// The open run, for all pages that show it; null: none is open.
    void setSession(RunSession* session);
    /// `view`: of the open run; null: none is open.
    void setTitles(bool hasUnsavedEdits, const RunView* view);
    /// What was done is shown beside the tabs for some seconds.
    void say(const QString& text);
    /// The same of the open run: gone with it.
    void sayOfRun(const QString& text);
    void fitStatusLine();

private:
    void connectPages();
    void linkTimeline();

    ConfigPage* m_config;
    ReviewPage* m_review;
    TimelinePage* m_timeline;
    IncidentPage* m_incidents;
    LogPage* m_logs;
    RunsPage* m_runs;
    StatusLine* m_status;
    QString m_saidOfRun; ///< newest
};

} // namespace rankscope::ui
