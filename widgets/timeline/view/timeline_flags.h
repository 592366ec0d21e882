// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/launch/run/run_annotations.h"
#include "widgets/timeline/geometry/timeline_geometry.h"

#include <QPoint>
#include <QRect>

#include <vector>

class QPainter;

namespace rankscope::ui {

/// The annotations as flags on the time axis: poles as high as the row of step numbers, with the cloth to the right.
/// Pixels are those of this row; x is 0 where the lanes begin.
class TimelineFlags {
public:
    void set(std::vector<launch::Annotation> annotations);
    void select(qint64 id) { m_selected = id; } ///< 0: none
    qint64 selected() const { return m_selected; }

    const launch::Annotation* find(qint64 id) const; ///< null: there is none
    /// Returns the annotation whose flag's cloth is under a pixel; null if there is none.
    const launch::Annotation* at(const QPoint& pixel, const TimeScale& scale) const;
    bool isIn(PlotRange window) const; ///< whether a flag is in view
    /// Returns whether a flag covers the beginning of a text at x.
    bool covers(double x, const TimeScale& scale) const;
    /// Paints the flags in view; `row` is the row in the painter's pixels.
    void paint(QPainter& painter, const QRect& row, const TimeScale& scale) const;

private:
    static constexpr int kCloth = 9, kClothHeight = 7; ///< size of the cloth

    std::vector<launch::Annotation> m_annotations; ///< by time
    qint64 m_selected = 0;
};

} // namespace rankscope::ui
