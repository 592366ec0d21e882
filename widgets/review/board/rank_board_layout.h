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

/// The places of cells, which replace tiles if there are many ranks: a grid under a line of text.
struct HeatLayout {
    static constexpr int kMinCell = 10, kMaxCell = 24; ///< including the gap to the next cell
    static constexpr int kHeader = 22, kLabel = 40, kPad = 8, kMaxHeight = 168;

    int cells = 0, columns = 1, cell = kMaxCell;

    /// Returns the layout with the largest cells that all fit; if even the smallest do not fit, the grid scrolls.
    static HeatLayout of(int cells, int width);
    int rows() const { return (cells + columns - 1) / columns; }
    int contentHeight() const { return kHeader + rows() * cell + kPad; }
    int visibleHeight() const { return contentHeight() < kMaxHeight ? contentHeight() : kMaxHeight; }
    QRect at(int index) const;       ///< without the gap
    int indexAt(QPoint point) const; ///< -1: none
};

} // namespace rankscope::ui
