// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/runs/panel/run_state_marks.h"

#include "widgets/theme/theme.h"

namespace rankscope::ui {

using launch::RunState;

QColor runStateColor(RunState state) {
    return Theme::instance().stateColor(markOf(state));
}

void drawRunMark(QPainter& painter, const QRectF& square, RunState state) {
    drawRunMark(painter, square, markOf(state));
}

void drawRunMark(QPainter& painter, const QRectF& square, diagnosis::RankState mark) {
    Theme::drawStateMark(painter, square, mark, Theme::instance().stateColor(mark));
}

} // namespace rankscope::ui
