// SPDX-License-Identifier: GPL-3.0-or-later
// A run's state as shape and colour; the words are in widgets/models/text/run_state_text.h.
#pragma once

#include "widgets/models/text/run_state_text.h"

#include <QRectF>

class QPainter;

namespace rankscope::ui {

/// Draws the mark of a run as it is now (RunNow::mark()), which may be more than its state says.
void drawRunMark(QPainter& painter, const QRectF& square, diagnosis::RankState mark);
/// Draws the mark that opens the chain of a run, around its centre.
void drawChevron(QPainter& painter, const QPointF& centre, bool opened);

} // namespace rankscope::ui
