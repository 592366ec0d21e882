// SPDX-License-Identifier: GPL-3.0-or-later
// The one window: runs on the left, the open run's header and banner on top, its pages as tabs. Closing it ends no run.
#pragma once

#include "widgets/main_window/window/window_settings.h"
#include "widgets/models/view/run_view.h"
#include "widgets/runs/scan/run_row.h"

#include <QMainWindow>
#include <QPointer>
#include <QTimer>

#include <memory>
#include <optional>

class QLabel;
class QStackedWidget;
class QTabWidget;
class QTemporaryDir;
class QUndoStack;

namespace rankscope::ui {

class RunSession;

class Actions;
class CommandPalette;
class ConfigPage;
class ExportPanel;
class GoneNotice;
class FocusEdit;
class GuideWindow;
class HeaderBar;
class ImportPanel;
class IncidentBanner;
class IncidentPage;
class LogPage;
class NoticeStrip;
class Notifier;
class RecentMenu;
class ReviewPage;
class RunCommands;
class RunLister;
class RunsPage;
class RunsPanel;
class ShortcutsPanel;
class StatusLine;
class TimelinePage;
class TourPanel;
class WelcomePage;
struct Tour;
enum class Act;

enum class Page { Configure, Review, Timeline, Incidents, Logs, Runs };

struct WindowOptions {
    QString runsDir;     ///< empty: the default
    QString run, config; ///< to open; empty: what was open last, if `remember`
    bool launch = false; ///< launch `config` once it was read
    std::optional<Page> page;
    bool remember = true; ///< read and write the user's settings
};

class MainWindow final : public QMainWindow {
    Q_OBJECT
public:
    explicit MainWindow(WindowOptions options, QWidget* parent = nullptr);
    ~MainWindow() override;

    /// What may take time: call after show().
    void start();
    /// A folder, or part of a run's id. False: nothing changed but for a notice that says why.
    bool openRun(const QString& dir);
    void openConfig(const QString& path);
    void showPage(Page page);
    Page page() const;
    /// All that was asked for is shown; for screenshots and tests.
    bool isComplete() const;
    QString problem() const { return m_problem; } ///< why what was asked for cannot be shown

    Actions* actions() const { return m_actions; }
    ConfigPage* configPage() const { return m_config; }
    RunsPanel* runsPanel() const { return m_runs; }
    TimelinePage* timelinePage() const { return m_timeline; }
    RunsPage* runsPage() const { return m_runsPage; }
    RunSession* session() const { return m_session.get(); }
    ShortcutsPanel* shortcutsPanel() const { return m_keys; }
    CommandPalette* commandPalette() const { return m_commandsPanel; }
    RecentMenu* recentMenu() const { return m_recent; }
    GuideWindow* guideWindow() const { return m_guide; } ///< null: not asked for yet
    NoticeStrip* noticeStrip() const { return m_notice; }
    StatusLine* statusLine() const { return m_status; }
    TourPanel* tourPanel() const; ///< null: no tour
    void startTour();
    void setThemeMode(const QString& mode); ///< "system", "light", "dark"
    void setLanguageCode(const QString& code);

protected:
    void showEvent(QShowEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void closeEvent(QCloseEvent* event) override;
    void changeEvent(QEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    // main_window_build.cpp
    void build();
    void buildMenus();
    void connectFileActions();
    void connectEditActions();
    void connectRecent();
    void connectRunActions();
    void connectViewActions();
    void connectPlotActions();
    void connectPages();
    void retranslate();
    void showTitles();

    // main_window_timeline.cpp
    void connectTimeline();
    void connectSharedActions();
    void updatePlotActions();
    // main_window_runs.cpp
    void connectRuns();
    void listRuns();               ///< starts the lister
    QUndoStack* undoStack() const; ///< of the page that is shown

    // main_window_tour.cpp
    void connectTour();
    void goToTourStep(int by);
    void arriveAtTourStep(const diagnosis::Incident& stall);
    void showTourStep();
    void placeTour();
    void endTour();
    void tryQuickstart();
    void relaunchOfTour(const QString& key, const QString& yaml);
    QWidget* tourTarget() const;
    QPair<QString, QString> tourText(const diagnosis::Incident& stall) const; ///< title, text
    bool isOfTour(const QString& path) const;

    // main_window_ending.cpp
    void connectEnding();
    void updateEnding();               ///< its notice, menu entries and, of a run just opened, its view
    void goToEnd(const RunView& view); ///< where a failed run ended
    void exportWeights(const QString& file);
    bool leavesRun(); ///< asks, once, where a run goes on without the window

    // main_window_session.cpp
    void closeRun();
    void viewChanged();
    void updateActions();
    void runLaunched(const QString& dir);
    void launchWhenRead();
    void openDropped(const QString& path);
    void resume(const QString& runDir, const QString& checkpoint = {});
    void relaunch(const QString& runDir, const QString& key = {}, const QString& yaml = {});
    void showRows(const QList<RunRow>& rows);
    void stopMessageOver(const QString& dir);
    void showKin();
    void rememberOpened(const QString& path, bool isRun); ///< for the menu of what was opened last
    void chooseRecipe();
    void chooseRun();
    void restore();
    void remember();
    void rememberSoon();

    void fitToScreen();
    void fitStatusLine();
    void foldByWidth();
    void showWork();                                                  ///< leaves the welcome page
    void say(const QString& text);                                    ///< what was done: some seconds
    void complain(const QString& problem, const QString& topic = {}); ///< until it is closed
    void complainOfFolder(const QString& dir);                        ///< that it is no run
    void solo(int rank);
    void focusSearch();
    void exportPlots();
    void exportRun();
    void importRun(const QString& path, bool begin); ///< empty: asks for one
    void setPane(Act act, QWidget* pane, const QString& name);
    bool mayClose();
    void showAbout();
    void showGuide();

    WindowOptions m_options;
    WindowSettings m_settings, m_remembered; ///< as it is; as it was written last
    QTimer m_rememberTimer;
    Actions* m_actions;
    RunCommands* m_commands;
    RunLister* m_lister = nullptr;
    RunsPanel* m_runs;
    QList<RunRow> m_rows;  ///< as the lister gave them last
    bool m_filled = false; ///< the lister has read once what there is of all runs
    HeaderBar* m_header;
    IncidentBanner* m_banner;
    GoneNotice* m_gone;
    QTabWidget* m_tabs;
    ConfigPage* m_config;
    ReviewPage* m_review;
    TimelinePage* m_timeline;
    IncidentPage* m_incidents;
    LogPage* m_logs;
    RunsPage* m_runsPage;
    WelcomePage* m_welcome;
    QStackedWidget* m_stack;
    ShortcutsPanel* m_keys;
    CommandPalette* m_commandsPanel;
    FocusEdit* m_focusEdit;
    RecentMenu* m_recent;
    Notifier* m_notifier;
    NoticeStrip* m_notice;
    StatusLine* m_status;
    QWidget* m_work;
    ExportPanel* m_export = nullptr; ///< made when they are asked for
    ImportPanel* m_import = nullptr;
    GuideWindow* m_guide = nullptr;
    std::unique_ptr<Tour> m_tour;             ///< while it goes on
    std::unique_ptr<QTemporaryDir> m_tourDir; ///< outlives the session that shows what lies in it
    std::unique_ptr<RunSession> m_session;
    std::optional<bool> m_userFold;               ///< the user's own choice at this width
    bool m_endSeen = false, m_endWatched = false; ///< of the open run: its view went there; it ended while open
    bool m_wasNarrow = false, m_stopAsked = false, m_resuming = false, m_fitted = false;
    int m_solo = -1;
    std::optional<launch::RunState> m_seenState; ///< of the open run, as list and kin were told of it
    QString m_problem;
};

} // namespace rankscope::ui
