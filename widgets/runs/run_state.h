// SPDX-License-Identifier: GPL-3.0-or-later
// A run's state as shape, word and colour.
#pragma once

#include "core/diagnosis/detector.h"
#include "core/launch/run_folder.h"

#include <QColor>
#include <QRectF>
#include <QString>

class QPainter;

namespace rankscope::ui {

/// The rank mark that a run's state is drawn with.
diagnosis::RankState markOf(launch::RunState state);
QColor runStateColor(launch::RunState state);
QString runStateWord(launch::RunState state);
void drawRunMark(QPainter& painter, const QRectF& square, launch::RunState state);

/// "now", "4 min", "3 h", "2 d": how long ago a moment of the wall clock was.
QString ageText(qint64 realtimeNs, qint64 nowNs);

} // namespace rankscope::ui
