// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractScrollArea>

namespace rankscope::ui {

/// A scroll area that paints tiles. Screen readers see a list with one item for each tile.
class TileArea : public QAbstractScrollArea {
    Q_OBJECT
public:
    explicit TileArea(QWidget* parent = nullptr);

    virtual int count() const = 0;
    virtual int current() const = 0;             ///< index of the tile that the keyboard is at
    virtual QRect tileRect(int index) const = 0; ///< in the viewport
    virtual QString spoken(int index) const = 0; ///< what a screen reader says of a tile

protected:
    /// Call it when the keyboard has moved to another tile. Does nothing unless the area has the focus.
    void tellCurrentTile();
};

} // namespace rankscope::ui
