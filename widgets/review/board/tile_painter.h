// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/models/view/run_view.h"

#include <QCoreApplication>
#include <QFont>
#include <QStringList>

class QPainter;

namespace rankscope::ui {

/// Paints tiles of ranks: state, step, what the rank does, and its line in the plots.
class TilePainter {
    Q_DECLARE_TR_FUNCTIONS(TilePainter)
public:
    /// What a tile shows of the board in addition to its rank.
    struct TileLook {
        bool hovered = false;
        bool current = false; ///< the keyboard is in use here
        bool shown = true;    ///< in the plots; the marks of other ranks are pale
        bool solo = false, pinned = false;
        QStringList waits; ///< how long the rank waited and held others, in several lengths, longest first; empty: none
    };

    /// The painter must outlive it.
    TilePainter(QPainter& painter, const QFont& font) : m_painter(painter), m_font(font) {}

    void draw(const QRect& box, const RankTile& tile, const TileLook& look);

private:
    void drawGround(const QRect& box, const RankTile& tile, const TileLook& look);
    void drawHead(const QRectF& head, const RankTile& tile, const TileLook& look);
    void drawWords(const QRectF& box, const RankTile& tile, const TileLook& look);
    void drawLine(const QRect& box, int rank);

    QPainter& m_painter;
    QFont m_font;
};

} // namespace rankscope::ui
