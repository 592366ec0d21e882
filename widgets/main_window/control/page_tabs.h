// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTabWidget>

namespace rankscope::ui {

class ConfigPage;
class ExplainPage;
class IncidentPage;
class LogPage;
class ReviewPage;
class RunsPage;
class RunSession;
class StatusLine;
class TimelinePage;
struct RunView;

enum class Page { Configure, Review, Timeline, Incidents, Logs, Runs, Explain };

/// The window's pages as tabs, with the last action shown next to them, and the links from one page to another.
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
    ExplainPage* explain() const { return m_explain; }
    StatusLine* status() const { return m_status; }

    Page page() const { return static_cast<Page>(currentIndex()); }
    /// Returns whether the visible page shows the open run, rather than a recipe, all runs, or logs of other programs.
    bool isAboutOneRun() const;
    /// Returns whether everything requested on the visible page is shown; other pages show it at once.
    bool isPageComplete() const;
    void showPage(Page wanted) { setCurrentIndex(static_cast<int>(wanted)); }
    /// Sets the focus to the visible page's search or filter. Returns false if it has none.
    bool focusSearch();
    void showStep(qint64 step);            ///< on the Review page
    void showIncident(qint64 id);          ///< on the Incidents page
    void showLog(int rank, qint64 timeNs); ///< timeNs since the run's start; -1: the newest

    /// Sets the open run for all pages that show it; null: none is open.
    void setSession(RunSession* session);
    /// Updates the tabs' titles. `view` is the open run's; null: none is open.
    void setTitles(bool hasUnsavedEdits, const RunView* view);
    /// Shows a message next to the tabs for some seconds.
    void showStatus(const QString& text);
    /// Shows a message about the open run; it disappears when the run is closed.
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
    ExplainPage* m_explain;
    StatusLine* m_status;
    QString m_saidOfRun; ///< newest message about the open run
};

} // namespace rankscope::ui
