// SPDX-License-Identifier: GPL-3.0-or-later
// The rank board of many ranks: a grid of small cells under a line of text. Arithmetic only.
#pragma once

#include <QRect>

namespace rankscope::ui {

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
