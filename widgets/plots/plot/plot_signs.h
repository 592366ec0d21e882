// SPDX-License-Identifier: GPL-3.0-or-later
// What is in a plot besides the ranks' lines, for its legend.
#pragma once

#include <QRectF>
#include <QString>

#include <array>
#include <cstddef>

class QPainter;

namespace rankscope::ui {

enum class PlotSign {
    Band,
    Incident,
    Pause,
    Unwatched,
    Checkpoint,
    Validation,
    Annotation,
    InProgress,
    CutOff,
    NotFinite,
    Count
};

/// Tells for each sign whether it is in sight.
using PlotSigns = std::array<bool, static_cast<std::size_t>(PlotSign::Count)>;

QString plotSignText(PlotSign sign);
/// Draws the sign as the plots do, filling the square.
void drawPlotSign(QPainter& painter, const QRectF& square, PlotSign sign);

} // namespace rankscope::ui
