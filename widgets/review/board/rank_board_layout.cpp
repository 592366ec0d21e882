// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/review/board/rank_board_layout.h"

#include <algorithm>

namespace rankscope::ui {

namespace {
/// Rounds the columns down, because rows that begin with a round rank are easier to find.
int roundColumns(int columns) {
    for (const int step : {64, 32, 16, 8})
        if (columns >= 2 * step)
            return columns / step * step;
    return std::max(1, columns);
}
} // namespace

BoardLayout BoardLayout::of(int tiles, int width) {
    BoardLayout layout;
    layout.tiles = std::max(0, tiles);
    const int room = std::max(kMinWidth, width - kGap);
    layout.columns = std::max(1, std::min(layout.tiles, room / (kMinWidth + kGap)));
    layout.tileWidth = std::clamp(room / layout.columns - kGap, kMinWidth, kMaxWidth);
    return layout;
}

int BoardLayout::contentHeight() const {
    return kGap + rows() * (kHeight + kGap);
}

int BoardLayout::visibleHeight() const {
    return kGap + std::clamp(rows(), 1, kVisibleRows) * (kHeight + kGap);
}

QRect BoardLayout::tile(int index) const {
    return {kGap + index % columns * (tileWidth + kGap), kGap + index / columns * (kHeight + kGap), tileWidth, kHeight};
}

int BoardLayout::indexAt(QPoint point) const {
    if (point.x() < kGap || point.y() < kGap)
        return -1;
    const int column = (point.x() - kGap) / (tileWidth + kGap), row = (point.y() - kGap) / (kHeight + kGap);
    const int index = row * columns + column;
    return column < columns && index < tiles && tile(index).contains(point) ? index : -1;
}

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
