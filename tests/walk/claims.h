// SPDX-License-Identifier: GPL-3.0-or-later
// Compares what `rankscopectl show --json` and each part of the window show of a run.
#pragma once

#include <QString>
#include <QStringList>

#include <optional>
#include <set>
#include <vector>

namespace rankscope::ui {
class MainWindow;
}

namespace rankscope::test {

struct OpenStall {
    int step = -1;
    std::set<int> holders, waiters;
    friend bool operator==(const OpenStall&, const OpenStall&) = default;
};

/// What the command line reports, from the run's folder alone.
struct Reported {
    QString problem; ///< not empty: the command failed
    QString state;   ///< "running", "stopped", "finished", "failed"
    QString cause;
    qint64 steps = -1, total = -1;
    std::optional<OpenStall> stall;
    std::set<qint64> slow; ///< open incidents of ranks that are slow, but hold no rank for long

    /// Runs the program and waits for it: do not call it in the window's thread.
    static Reported of(const QString& run);
    bool isLive() const { return state == QLatin1String("running") || state == QLatin1String("starting"); }
    /// Returns whether both are the same, apart from the progress.
    bool agreesWith(const Reported& other) const {
        return state == other.state && stall == other.stall && slow == other.slow;
    }
};

struct ShadedSteps {
    qint64 incident = 0;
    QString of; ///< which plot
    double lo = 0, hi = 0;
};

/// What the window shows, read in its thread at one moment; pages that are not shown are not read.
struct Shown {
    QString header, step, rate, left, list, title;
    QStringList tiles;
    QString banner;                        ///< empty: no banner is shown
    std::vector<ShadedSteps> open;         ///< of open incidents
    int plots = 0;                         ///< in view
    std::set<int> growing;                 ///< ranks with an open wait in *Collective wait*
    std::set<int> lanes;                   ///< ranks with an open wait in the Timeline
    bool timeline = false, review = false; ///< that page is shown
    bool follows = false;
    QString timelineNotice, failure;

    static Shown of(const ui::MainWindow& window, const QString& run);
    QString asText() const;
};

/// Returns what contradicts what; empty if both agree.
QString contradiction(const Reported& reported, const Shown& shown);

} // namespace rankscope::test
