// SPDX-License-Identifier: GPL-3.0-or-later
// What `rankscopectl show --json` says of a run and what each part of the window says of it, and whether they agree.
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

/// What the command line says, from the run's folder alone.
struct Reported {
    QString problem; ///< not empty: it could not be asked
    QString state;   ///< "running", "stopped", "finished", "failed"
    QString cause;
    qint64 steps = -1, total = -1;
    std::optional<OpenStall> stall;
    std::set<qint64> slow; ///< open incidents of ranks that are slow, but hold nobody for long

    /// Waits for the program: not in the window's thread.
    static Reported of(const QString& run);
    bool isLive() const { return state == QLatin1String("running") || state == QLatin1String("starting"); }
    /// The same, but for how far it is.
    bool agreesWith(const Reported& other) const {
        return state == other.state && stall == other.stall && slow == other.slow;
    }
};

struct ShadedSteps {
    qint64 incident = 0;
    QString of; ///< which plot
    double lo = 0, hi = 0;
};

/// By the window, read in its thread at one moment; what is on a page that is not shown is not read.
struct Shown {
    QString header, step, rate, left, list, title;
    QStringList tiles;
    QString banner;                        ///< empty: there is none
    std::vector<ShadedSteps> open;         ///< of incidents that go on
    int plots = 0;                         ///< in view
    std::set<int> growing;                 ///< ranks with an open wait in *Collective wait*
    std::set<int> lanes;                   ///< ranks with an open wait in the Timeline
    bool timeline = false, review = false; ///< that page is shown
    bool follows = false;
    QString timelineNotice, failure;

    static Shown of(const ui::MainWindow& window, const QString& run);
    QString asText() const;
};

/// Empty: they say the same. Else what contradicts what.
QString contradiction(const Reported& reported, const Shown& shown);

} // namespace rankscope::test
