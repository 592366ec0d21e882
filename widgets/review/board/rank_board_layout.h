// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QRect>

namespace rankscope::ui {

/// The places of the rank board's tiles.
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

/// Cells instead of tiles, for many ranks: a grid under a line of text.
struct HeatLayout {
    static constexpr int kMinCell = 10, kMaxCell = 24; ///< with the gap to the next one
    static constexpr int kHeader = 22, kLabel = 40, kPad = 8, kMaxHeight = 168;

    int cells = 0, columns = 1, cell = kMaxCell;

    /// The largest cells that all fit; of more ranks than even the smallest cells show, the grid scrolls.
    static HeatLayout of(int cells, int width);
    int rows() const { return (cells + columns - 1) / columns; }
    int contentHeight() const { return kHeader + rows() * cell + kPad; }
    int visibleHeight() const { return contentHeight() < kMaxHeight ? contentHeight() : kMaxHeight; }
    QRect at(int index) const;       ///< without the gap
    int indexAt(QPoint point) const; ///< -1: none
};

} // namespace rankscope::ui
