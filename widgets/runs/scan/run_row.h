// SPDX-License-Identifier: GPL-3.0-or-later
// One line of the run list, and of the table of runs.
#pragma once

#include "core/launch/run/run_annotations.h"
#include "core/launch/run/run_folder.h"
#include "widgets/models/view/run_status.h"
#include "widgets/runs/scan/recipe_values.h"
#include "widgets/runs/scan/run_figures.h"

#include <QList>
#include <QMetaType>
#include <QString>

#include <limits>

namespace rankscope::ui {

struct RunRow {
    launch::RunPaths paths;
    launch::RunInfo info;
    QString problem;                                            ///< run.json is damaged
    qint64 lastStep = -1;                                       ///< that all ranks finished, from 0; -1: none yet
    double lastLoss = std::numeric_limits<double>::quiet_NaN(); ///< of rank 0
    RunFiguresPtr figures;                                      ///< null: not read yet, or there is no store
    RunSettingsPtr settings;                                    ///< null: not read yet, or there is no effective.yaml
    QString storeProblem, settingsProblem, marksProblem;        ///< why they could not be read
    launch::RunMarks marks;
    RunChangesPtr changes; ///< against `origin`; null: not known, or there is none
    std::string origin;    ///< id of the run that it repeats, else of the oldest run of its name
    std::string chain;     ///< id of the newest run of those resumed from each other that it is part of; may be its own
    std::int64_t behindSinceNs =
        0;                  ///< monotonic: the store tells of a stall that the ranks have left behind; 0: it does not
    bool elsewhere = false; ///< not in the runs folder
    int parts = 1;          ///< of the newest run of a chain: how many runs that are
    quint64 revision = 0;   ///< of the lister, grows with each change of this run; 0: from nowhere

    QString dir() const { return QString::fromStdString(paths.dir.string()); }
    RunNow now() const;
    /// What it is called: the user's title, else as the recipe says, else its folder.
    QString name() const;
    /// What was changed against `origin`, as a line; empty: nothing is known, or nothing that is worth a word.
    QString changesLine(ChangeOrder order = ChangeOrder::KeyFirst) const;
    /// For a tool tip: the whole line, and against which run; empty: there is no line.
    QString changesTip() const;
    /// A newer run was resumed from it.
    bool isPart() const { return !chain.empty() && chain != paths.dir.filename().string(); }
    bool isLive() const { return problem.isEmpty() && launch::isLive(info.state); }
    /// The recipe's tags and the user's, each once.
    std::vector<std::string> tags() const;
};

/// What `to` was set otherwise than `from`; both have settings.
RunChanges changesOf(const RunRow& from, const RunRow& to);
/// Same in everything that a list shows.
bool sameShown(const RunRow& a, const RunRow& b);

} // namespace rankscope::ui

Q_DECLARE_METATYPE(rankscope::ui::RunRow)
