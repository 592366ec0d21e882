// SPDX-License-Identifier: GPL-3.0-or-later
// One row of the run list and of the table of runs.
#pragma once

#include "core/launch/run/run_annotations.h"
#include "core/launch/run/run_folder.h"
#include "widgets/models/view/run_status.h"
#include "widgets/runs/scan/recipe_values.h"
#include "widgets/runs/scan/run_figures.h"
#include "widgets/runs/scan/run_totals.h"

#include <QList>
#include <QMetaType>
#include <QString>

#include <limits>

namespace rankscope::ui {

struct RunRow {
    launch::RunPaths paths;
    launch::RunInfo info;
    QString problem;                                            ///< why run.json cannot be used; empty: it can
    qint64 lastStep = -1;                                       ///< last step that all ranks finished, from 0; -1: none
    double lastLoss = std::numeric_limits<double>::quiet_NaN(); ///< of rank 0
    RunFiguresPtr figures;                                      ///< null: not read yet, or there is no store
    RunSettingsPtr settings;                                    ///< null: not read yet, or there is no effective.yaml
    QString storeProblem, settingsProblem, marksProblem;        ///< why they could not be read
    launch::RunMarks marks;
    RunChangesPtr changes; ///< relative to `origin`; null: unknown, or no origin
    std::string origin;    ///< id of the run that it repeats, otherwise of the oldest run of its name
    std::string chain;     ///< id of the newest run in its chain of resumed runs; may be its own id
    std::int64_t behindSinceNs =
        0;                  ///< monotonic: since when the store has reported a stall that the ranks are past; 0: none
    RunTotals earlier;      ///< of the runs that it was resumed from
    bool elsewhere = false; ///< not in the runs folder
    int parts = 1;          ///< for the newest run of a chain: number of its runs
    quint64 revision = 0;   ///< set by the lister, grows with each change of this run; 0: not from a lister

    QString dir() const { return QString::fromStdString(paths.dir.string()); }
    RunStatus now() const;
    /// Returns the user's title, else the recipe's name, else the folder's name.
    QString name() const;
    /// Returns the changes relative to `origin` in one line; empty if none are known or worth showing.
    QString changesLine(ChangeOrder order = ChangeOrder::KeyFirst) const;
    /// Returns the whole line and the run that it compares with, for a tool tip; empty if there is no line.
    QString changesTip() const;
    /// Returns whether a newer run was resumed from it.
    bool isPart() const { return !chain.empty() && chain != paths.dir.filename().string(); }
    /// Returns how long the run lasted, until `nowNs` (wall clock) if it is live, without the runs that it was resumed
    /// from; -1: unknown.
    std::int64_t lastedNs(std::int64_t nowNs) const;
    /// Returns the totals of the run and of those that it was resumed from. `nowNs`: wall clock.
    RunTotals totals(std::int64_t nowNs) const;
    bool isLive() const { return problem.isEmpty() && launch::isLive(info.state); }
    /// Returns whether the user has pinned the run as the baseline: it has the tag "baseline" of theirs.
    bool isPinned() const;
    /// Returns the recipe's tags and the user's, each once.
    std::vector<std::string> tags() const;
};

/// Returns whether a tag makes a run the baseline of comparisons: "baseline", in any case.
bool isBaselineTag(const std::string& tag);
/// Returns the settings of `to` that differ from those of `from`; both must have settings.
RunChanges changesOf(const RunRow& from, const RunRow& to);
/// Returns whether the rows are the same in everything that a list shows.
bool sameShown(const RunRow& a, const RunRow& b);

} // namespace rankscope::ui

Q_DECLARE_METATYPE(rankscope::ui::RunRow)
