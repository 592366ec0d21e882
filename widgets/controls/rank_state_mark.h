// SPDX-License-Identifier: GPL-3.0-or-later
// A rank's state as a colour and a shape.
#pragma once

#include "core/diagnosis/evidence/rank_status.h"

#include <QColor>
#include <QRectF>

class QPainter;

namespace rankscope::ui {

/// Returns the state's colour in the current theme.
QColor stateColor(diagnosis::RankState state);
/// Draws the state's shape into a square.
void drawStateMark(QPainter& painter, const QRectF& square, diagnosis::RankState state, const QColor& colour);

} // namespace rankscope::ui
