// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/values/error.h"
#include "widgets/runs/scan/ctl_commands.h"

#include <QObject>
#include <QStringList>

namespace rankscope::ui {

struct LaunchRequest {
    QString config;   ///< a file as it is on disk; empty: `text` is launched from a copy
    std::string text; ///< when unsaved
    QString title;    ///< names the copy
    int ranks = 0;    ///< 0: from the recipe
    QStringList overrides;
    QString runsDir, workingDir;
    QString repeats;        ///< folder of the run that this one repeats with changes; empty: none
    bool stopFirst = false; ///< that run is stopped before, and has ended when this one starts
};

/// Starts a run by `rankscopectl launch … --detach --json`. Unsaved text is launched from a private copy.
class Launcher final : public QObject {
    Q_OBJECT
public:
    explicit Launcher(QObject* parent = nullptr);
    bool isBusy() const { return m_busy; }
    void launch(const LaunchRequest& request);

signals:
    void launched(const QString& runDir);
    void failed(const QString& message);
    void busyChanged(bool busy);

private:
    void start(const LaunchRequest& request);
    void finish(const CommandReply& reply, const QString& copy);
    RunCommands m_commands;
    bool m_busy = false;
};

/// Overrides as typed in one line: split at blanks, but not inside quotes or brackets.
QStringList splitOverrides(const QString& line);

/// Joins overrides to a line that splitOverrides() can split; unquoted values with blanks are quoted.
QString joinOverrides(const QStringList& overrides);

/// The run's folder out of what `launch --detach --json` printed.
Result<QString> runDirFromReply(const QByteArray& output);

} // namespace rankscope::ui
