// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/runs/run_state.h"

#include "widgets/theme/theme.h"

namespace rankscope::ui {

using launch::RunState;

diagnosis::RankState markOf(RunState state) {
    switch (state) {
    case RunState::Starting:
        return diagnosis::RankState::Starting;
    case RunState::Running:
        return diagnosis::RankState::Computing;
    case RunState::Stopping:
        return diagnosis::RankState::Waiting;
    case RunState::Finished:
    case RunState::Imported:
        return diagnosis::RankState::Finished;
    case RunState::Failed:
        return diagnosis::RankState::Dead;
    case RunState::Stopped:
        return diagnosis::RankState::Stopped;
    case RunState::Lost:
        break;
    }
    return diagnosis::RankState::Unknown;
}

QColor runStateColor(RunState state) {
    return Theme::instance().stateColor(markOf(state));
}

void drawRunMark(QPainter& painter, const QRectF& square, RunState state) {
    Theme::drawStateMark(painter, square, markOf(state), runStateColor(state));
}

} // namespace rankscope::ui
