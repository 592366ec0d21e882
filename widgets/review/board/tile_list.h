// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractScrollArea>

namespace rankscope::ui {

/// A list of tiles that are painted and have no widgets. Screen readers see a list with one item for each tile.
class TileList : public QAbstractScrollArea {
    Q_OBJECT
public:
    explicit TileList(QWidget* parent = nullptr);

    virtual int count() const = 0;
    virtual int current() const = 0;             ///< index of the keyboard's current tile
    virtual QRect tileRect(int index) const = 0; ///< in the viewport
    virtual QString spoken(int index) const = 0; ///< a tile's text for screen readers
};

} // namespace rankscope::ui
