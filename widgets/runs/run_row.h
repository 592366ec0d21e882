// SPDX-License-Identifier: GPL-3.0-or-later
// One line of the run list.
#pragma once

#include "core/launch/run_folder.h"

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
    QString dir() const { return QString::fromStdString(paths.dir.string()); }
};

/// Same in everything that the list shows.
bool sameShown(const RunRow& a, const RunRow& b);

} // namespace rankscope::ui

Q_DECLARE_METATYPE(rankscope::ui::RunRow)
