// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/controls/rank_state_mark.h"

#include "widgets/theme/mark.h"
#include "widgets/theme/theme.h"

namespace rankscope::ui {

using diagnosis::RankState;

QColor stateColor(RankState state) {
    const Palette& colours = Theme::instance().palette();
    switch (state) {
    case RankState::Computing:
        return colours.good;
    case RankState::Holder:
    case RankState::Stopped:
        return colours.incident;
    case RankState::Dead:
        return colours.dead;
    case RankState::Starting:
    case RankState::Waiting: // it has a hatch instead
    case RankState::Finished:
    case RankState::Unknown:
        break;
    }
    return colours.secondary;
}

static Mark shapeOf(RankState state) {
    switch (state) {
    case RankState::Starting:
        return Mark::Ring;
    case RankState::Computing:
        return Mark::Disc;
    case RankState::Waiting:
        return Mark::Hourglass;
    case RankState::Holder:
        return Mark::Triangle;
    case RankState::Stopped:
        return Mark::Bars;
    case RankState::Dead:
        return Mark::Cross;
    case RankState::Finished:
        return Mark::Tick;
    case RankState::Unknown:
        break;
    }
    return Mark::DottedRing;
}

void drawStateMark(QPainter& painter, const QRectF& square, RankState state, const QColor& colour) {
    drawMark(painter, square, shapeOf(state), colour);
}

} // namespace rankscope::ui
