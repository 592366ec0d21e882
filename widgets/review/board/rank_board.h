// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/models/view/run_view.h"
#include "widgets/review/board/rank_board_layout.h"
#include "widgets/review/board/rank_choice.h"
#include "widgets/review/board/tile_list.h"

#include <QPixmap>
#include <QScrollBar>

#include <map>

namespace rankscope::ui {

/// Shows a tile for each rank with its state by shape, word and colour, its step, and its line in the plots, so that
/// the board is also their legend. If two rows of tiles cannot hold all ranks, each gets a small cell instead.
class RankBoard final : public TileList {
    Q_OBJECT
public:
    explicit RankBoard(QWidget* parent = nullptr);

    void setView(const RunView& view);
    void setChoice(const RankChoice& choice);
    QRect tileRect(int index) const override; ///< in the viewport; the cell's, if there are cells
    int count() const override { return static_cast<int>(m_tiles.size()); }
    int current() const override { return m_current; } ///< index of the keyboard's current tile
    QString spoken(int index) const override;

signals:
    void soloClicked(int rank);
    void muteClicked(int rank);
    void pinClicked(int rank);
    void logRequested(int rank);

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    bool viewportEvent(QEvent* event) override;
    QSize sizeHint() const override { return {400, visibleHeight()}; }

private:
    void relayout();
    int visibleHeight() const { return m_isHeat ? m_heat.visibleHeight() : m_layout.visibleHeight(); }
    void paintHeat(QPainter& painter, const QRect& exposed);
    const QPixmap& cellPicture(diagnosis::RankState state);
    QString sums() const;
    void drawTile(QPainter& painter, int index) const;
    QStringList waitTexts(int rank) const; ///< how long it waited and held others, in several lengths
    QString tooltip(int index) const;
    int indexAt(QPoint viewportPoint) const;
    void setCurrent(int index);

    std::vector<RankTile> m_tiles;
    std::vector<store::RankSummary> m_summaries;
    RankChoice m_choice;
    BoardLayout m_layout;
    HeatLayout m_heat;
    bool m_hasEnded = false;               ///< a run of several ranks has ended
    bool m_isHeat = false;                 ///< cells are shown instead of tiles
    std::map<int, QPixmap> m_cellPictures; ///< by state, in the size of a cell
    int m_hovered = -1, m_current = 0;
    bool m_ring = false; ///< the current tile is outlined, because the keyboard is in use here
};

/// Returns the state's name in the window's language.
QString stateText(diagnosis::RankState state);

} // namespace rankscope::ui
