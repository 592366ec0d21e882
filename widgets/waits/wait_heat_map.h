// SPDX-License-Identifier: GPL-3.0-or-later
// Shows the matrix waiter x holder as a heat map: numbers in the cells if they fit, otherwise colour alone. It scrolls
// and holds 1,024 ranks and more.
#pragma once

#include "widgets/models/waits/wait_grid.h"

#include <QAbstractScrollArea>
#include <QImage>

namespace rankscope::ui {

class WaitHeatMap final : public QAbstractScrollArea {
    Q_OBJECT
public:
    explicit WaitHeatMap(QWidget* parent = nullptr);
    void setGrid(WaitGrid grid);
    const WaitGrid& grid() const { return m_grid; }
    int waiter() const { return m_waiter; } ///< waiter of the current cell; -1: none
    int holder() const { return m_holder; }
    void setCurrent(int waiter, int holder);
    QSize cellSize() const;
    bool hasNumbers() const;
    /// Returns a cell's rectangle in the viewport.
    QRect cellRect(int waiter, int holder) const;
    static constexpr int kHeader = 22, kSide = 64;

public slots:
    void copy() const; ///< copies the matrix as a table

signals:
    void currentChanged(int waiter, int holder);

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    bool viewportEvent(QEvent* event) override;

private:
    QColor colourOf(std::int64_t ns) const;
    QString cellText(int waiter, int holder) const;
    void updateScroll();
    void paintHeaders(QPainter& painter) const;
    bool cellAt(const QPoint& pixel, int& waiter, int& holder) const;

    WaitGrid m_grid;
    QImage m_map; ///< one pixel per cell, if there are no numbers
    int m_waiter = -1, m_holder = -1;
};

} // namespace rankscope::ui
