// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/review/board/rank_heat_layout.h"

#include <algorithm>

namespace rankscope::ui {

namespace {
/// Rows that begin at a round rank are found again.
int roundColumns(int columns) {
    for (const int step : {64, 32, 16, 8})
        if (columns >= 2 * step)
            return columns / step * step;
    return std::max(1, columns);
}
} // namespace

HeatLayout HeatLayout::of(int cells, int width) {
    HeatLayout layout;
    layout.cells = std::max(0, cells);
    for (layout.cell = kMaxCell;; --layout.cell) {
        layout.columns = roundColumns(std::max(1, width - kLabel - 2 * kPad) / layout.cell);
        if (layout.contentHeight() <= kMaxHeight || layout.cell == kMinCell)
            return layout;
    }
}

QRect HeatLayout::at(int index) const {
    return {kPad + kLabel + index % columns * cell, kHeader + index / columns * cell, cell - 2, cell - 2};
}

int HeatLayout::indexAt(QPoint point) const {
    const int x = point.x() - kPad - kLabel, y = point.y() - kHeader;
    if (x < 0 || y < 0 || x / cell >= columns)
        return -1;
    const int index = y / cell * columns + x / cell;
    return index < cells ? index : -1;
}

} // namespace rankscope::ui
