// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/values/error.h"
#include "core/plan/result/plan.h"
#include "widgets/models/base/background_task.h"
#include "widgets/runs/commands/ctl_commands.h"

#include <QObject>
#include <QStringList>

#include <optional>

namespace rankscope::ui {

struct LaunchRequest {
    QString config;   ///< a file to launch as it is on disk; empty: `text` is launched from a copy
    std::string text; ///< if unsaved
    QString title;    ///< names the copy
    int ranks = 0;    ///< 0: from the recipe
    QStringList overrides;
    QString runsDir, workingDir;
    QString repeats;                    ///< folder of the run that this one repeats with changes; empty: none
    QString nemoPython;                 ///< Python in which NeMo trains; empty: Rankscope's trainer does
    bool stopFirst = false;             ///< stop that run first; this one starts after it has ended
    std::optional<plan::DiskPlan> disk; ///< space that must still be free at the start; nothing: it is not checked
};

/// Starts a run with `rankscopectl launch … --detach --json`, after another look at the free disk space. Unsaved text
/// is launched from a private copy.
class Launcher final : public QObject {
    Q_OBJECT
public:
    explicit Launcher(QObject* parent = nullptr);
    bool isBusy() const { return m_busy; }
    void launch(const LaunchRequest& request);

signals:
    void launched(const QString& runDir);
    void failed(const rankscope::Message& message);
    void diskFull(const rankscope::plan::DiskPlan& disk); ///< nothing was started or stopped: too little is free now
    void busyChanged(bool busy);

private:
    void stopAndStart(const LaunchRequest& request);
    void start(const LaunchRequest& request);
    void finish(const CommandReply& reply, const QString& copy);
    CtlCommands m_commands;
    BackgroundTask m_disk{QStringLiteral("disk-space")};
    bool m_busy = false;
};

/// Splits overrides typed in one line at blanks, but not inside quotes or brackets.
QStringList splitOverrides(const QString& line);

/// Joins overrides into a line that splitOverrides() can split; unquoted values with blanks are quoted.
QString joinOverrides(const QStringList& overrides);

/// Returns the run's folder from the output of `launch --detach --json`.
Result<QString> runDirFromReply(const QByteArray& output);

} // namespace rankscope::ui
