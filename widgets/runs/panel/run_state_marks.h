// SPDX-License-Identifier: GPL-3.0-or-later
// A run's state as shape and colour; the words are in widgets/models/text/run_state_text.h.
#pragma once

#include "widgets/models/text/run_state_text.h"

#include <QColor>
#include <QRectF>

class QPainter;

namespace rankscope::ui {

QColor runStateColor(launch::RunState state);
void drawRunMark(QPainter& painter, const QRectF& square, launch::RunState state);
/// As a run is now (RunNow::mark()), which may be more than its state says.
void drawRunMark(QPainter& painter, const QRectF& square, diagnosis::RankState mark);

} // namespace rankscope::ui
