// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QString>
#include <QStringList>

namespace rankscope::ui {

/// The settings that the window keeps from one start to the next.
struct WindowSettings {
    QString theme = QStringLiteral("system"), language; ///< language empty: the system's
    QByteArray geometry, review, config, runs;
    QString lastConfig, lastRun;
    QStringList recentRecipes, recentRuns, recentCommands; ///< the newest first
    QString nemoPython;                                    ///< in which NeMo trains
    int page = 0;
    QStringList hidden;    ///< names of panes
    bool notify = true;    ///< notify of incidents while the window is not active
    bool quitTold = false; ///< the user knows that a run continues without the window
    bool tourDone = false; ///< up to its last step
    bool logScale = false, smoothing = false;

    bool operator==(const WindowSettings&) const = default;
    static WindowSettings load();
    void store() const;
};

} // namespace rankscope::ui
