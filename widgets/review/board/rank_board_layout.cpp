// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/review/board/rank_board_layout.h"

#include <algorithm>

namespace rankscope::ui {

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

} // namespace rankscope::ui
