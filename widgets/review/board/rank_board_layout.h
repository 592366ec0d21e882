// SPDX-License-Identifier: GPL-3.0-or-later
// Where the tiles of the rank board stand: arithmetic only.
#pragma once

#include <QRect>

namespace rankscope::ui {

struct BoardLayout {
    static constexpr int kMinWidth = 112, kMaxWidth = 208, kHeight = 72, kGap = 8, kVisibleRows = 2;

    int tiles = 0, columns = 1, tileWidth = kMinWidth;

    static BoardLayout of(int tiles, int width);
    int rows() const { return (tiles + columns - 1) / columns; }
    int contentHeight() const; ///< of all rows
    int visibleHeight() const; ///< of at most two
    QRect tile(int index) const;
    int indexAt(QPoint point) const; ///< -1: between tiles
};

} // namespace rankscope::ui
