// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/runs/panel/run_state_marks.h"

#include "widgets/controls/rank_state_mark.h"

namespace rankscope::ui {

using launch::RunState;

QColor runStateColor(RunState state) {
    return stateColor(markOf(state));
}

void drawRunMark(QPainter& painter, const QRectF& square, RunState state) {
    drawRunMark(painter, square, markOf(state));
}

void drawRunMark(QPainter& painter, const QRectF& square, diagnosis::RankState mark) {
    drawStateMark(painter, square, mark, stateColor(mark));
}

} // namespace rankscope::ui
