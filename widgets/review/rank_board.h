// SPDX-License-Identifier: GPL-3.0-or-later
// A tile per rank: state by shape, word and colour, its step, and its line as in the plots. It is their legend, too.
#pragma once

#include "widgets/models/run_session.h"
#include "widgets/review/board_layout.h"
#include "widgets/review/rank_choice.h"

#include <QAbstractScrollArea>

namespace rankscope::ui {

class RankBoard final : public QAbstractScrollArea {
    Q_OBJECT
public:
    explicit RankBoard(QWidget* parent = nullptr);

    void setView(const RunView& view);
    void setChoice(const RankChoice& choice);
    QRect tileRect(int index) const; ///< in the viewport

signals:
    void soloClicked(int rank);
    void muteClicked(int rank);
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
    QSize sizeHint() const override { return {400, m_layout.visibleHeight()}; }

private:
    void relayout();
    void drawTile(QPainter& painter, int index) const;
    void drawGround(QPainter& painter, const QRect& box, const RankTile& tile, bool hovered, bool current) const;
    QString tooltip(int index) const;
    int indexAt(QPoint viewportPoint) const;
    void setCurrent(int index);

    std::vector<RankTile> m_tiles;
    std::vector<store::RankSummary> m_summaries;
    RankChoice m_choice;
    BoardLayout m_layout;
    int m_hovered = -1, m_current = 0;
    bool m_ring = false; ///< the keyboard is used here: the current tile shows it
};

/// The state's word, in the window's language.
QString stateText(diagnosis::RankState state);

} // namespace rankscope::ui
