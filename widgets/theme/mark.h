// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QRectF>

class QPainter;

namespace rankscope::ui {

/// Shapes of states. Their outlines differ, so that they can be recognized without colour.
enum class Mark { Ring, Disc, Hourglass, Triangle, Bars, Cross, Tick, DottedRing };

/// Draws the mark in the middle of `square`.
void drawMark(QPainter& painter, const QRectF& square, Mark mark, const QColor& colour);

} // namespace rankscope::ui
