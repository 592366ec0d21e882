// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/main_window/settings/window_settings.h"
#include "widgets/main_window/window/window_start.h"

#include <QMainWindow>

#include <memory>

class QStackedWidget;
class QUndoStack;

namespace rankscope::ui {

class Actions;
class BannerRow;
class CommandPalette;
class EndingActions;
class ExchangeActions;
class FocusEdit;
class MissingFolderNotice;
class HeaderBar;
class HelpActions;
class KnownRuns;
class Navigator;
class NoticeStrip;
class Notifier;
class OpenRunDisplay;
class PlotActions;
class RecentMenu;
class RunActions;
class CtlCommands;
class RunOpener;
class RunSession;
class RunsPanel;
class SidebarFold;
class TourGuide;
class WelcomePage;
class WindowMemory;

/// The main window: runs on the left, the open run's header and banner on top, its pages as tabs. Closing it does not
/// end a run.
class MainWindow final : public QMainWindow {
    Q_OBJECT
public:
    explicit MainWindow(WindowOptions options, QWidget* parent = nullptr);
    ~MainWindow() override;

    /// Reads files and starts threads; call it after show().
    void start();
    /// Opens a run by its folder or part of its id. Returns false if that fails; then only a notice says why.
    bool openRun(const QString& dir);
    void openConfig(const QString& path);
    void showPage(Page page) { m_tabs->showPage(page); }
    Page page() const { return m_tabs->page(); }
    /// Returns whether everything requested is shown; for screenshots and tests.
    bool isComplete() const;
    QString problem() const; ///< why the requested run or recipe cannot be shown

    Actions* actions() const { return m_actions; }
    RunSession* session() const; ///< null: no run is open

protected:
    void showEvent(QShowEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void closeEvent(QCloseEvent* event) override;
    void changeEvent(QEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

private:
    void build();
    void connectMenus();
    void connectPages();
    void connectRuns();
    void connectTour();
    void retranslate();

    void updateActions();
    void runLaunched(const QString& dir);
    QUndoStack* undoStack() const; ///< of the visible page

    void focusSearch();

    WindowOptions m_options;
    WindowSettings m_settings;
    Actions* m_actions;
    CtlCommands* m_commands;
    RunsPanel* m_runs;
    SidebarFold* m_fold;
    HeaderBar* m_header;
    BannerRow* m_banner;
    MissingFolderNotice* m_gone;
    PageTabs* m_tabs;
    WelcomePage* m_welcome;
    QStackedWidget* m_stack;
    CommandPalette* m_commandsPanel = nullptr;
    FocusEdit* m_focusEdit;
    RecentMenu* m_recent;
    Notifier* m_notifier;
    NoticeStrip* m_notice;
    QWidget* m_work;
    // destroyed before the widgets that they use
    std::unique_ptr<TourGuide> m_tour; ///< its recording outlives the session that shows it
    std::unique_ptr<RunOpener> m_opener;
    std::unique_ptr<RunActions> m_runActions;
    std::unique_ptr<ExchangeActions> m_exchange;
    std::unique_ptr<EndingActions> m_ending;
    std::unique_ptr<PlotActions> m_plots;
    std::unique_ptr<WindowMemory> m_memory;
    std::unique_ptr<KnownRuns> m_known;
    std::unique_ptr<HelpActions> m_help;
    std::unique_ptr<Navigator> m_navigator;
    std::unique_ptr<OpenRunDisplay> m_display;
};

} // namespace rankscope::ui
