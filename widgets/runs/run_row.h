// SPDX-License-Identifier: GPL-3.0-or-later
// One line of the run list, and of the table of runs.
#pragma once

#include "core/launch/run_folder.h"
#include "core/launch/run_marks.h"
#include "widgets/models/run_now.h"
#include "widgets/runs/run_figures.h"
#include "widgets/runs/run_settings.h"

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
    quint64 revision = 0; ///< of the lister, grows with each change of this run; 0: from nowhere

    QString dir() const { return QString::fromStdString(paths.dir.string()); }
    RunNow now() const;
    bool isLive() const { return problem.isEmpty() && launch::isLive(info.state); }
    /// The recipe's tags and the user's, each once.
    std::vector<std::string> tags() const;
};

/// Same in everything that a list shows.
bool sameShown(const RunRow& a, const RunRow& b);

} // namespace rankscope::ui

Q_DECLARE_METATYPE(rankscope::ui::RunRow)
