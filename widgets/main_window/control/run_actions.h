// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>

namespace rankscope::ui {

class Actions;
class NoticeStrip;
class PageTabs;
class CtlCommands;
class RunOpener;
class WatchPanel;
struct WindowSettings;

/// Stops and resumes runs, and starts commands that are watched, through rankscopectl.
class RunActions final : public QObject {
    Q_OBJECT
public:
    /// All must outlive it. The commands that were started are saved in `settings`.
    RunActions(Actions* actions, RunOpener* opener, PageTabs* tabs, NoticeStrip* notices, CtlCommands* commands,
               WindowSettings* settings, QString runsDir);

    void stop(const QString& runDir, bool now);
    /// Resumes a run as a new run. `checkpoint` empty: from the newest one.
    void resume(const QString& runDir, const QString& checkpoint = {});
    void watch(const QStringList& command = {}); ///< opens the panel in which a command is started
    /// Sets the folder of the newest run that was resumed from the open one; empty: there is none.
    void setResumedBy(const QString& runDir);
    void updateActions();
    /// Removes the messages about a requested stop, because the run has ended.
    void clearStopMessages(const QString& runDir);

signals:
    void launched(const QString& runDir);
    void actionsChanged(); ///< a stop or a resume was requested or answered

private:
    void stopRefused(const QString& runDir, const QString& problem);
    void clearStopping(const QString& runDir);
    void updateResume();

    Actions* m_actions;
    RunOpener* m_opener;
    PageTabs* m_tabs;
    NoticeStrip* m_notices;
    CtlCommands* m_commands;
    WindowSettings* m_settings;
    QString m_runsDir;
    WatchPanel* m_watch = nullptr; ///< null until first used
    bool m_stopAsked = false;      ///< a stop of the open run was requested
    QString m_refusedDir;          ///< run whose stop was refused last; empty: none, or the notice was removed
    QString m_resumedBy;           ///< newest run that was resumed from the open one; empty: none
    bool m_resuming = false;
};

} // namespace rankscope::ui
