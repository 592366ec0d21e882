// SPDX-License-Identifier: GPL-3.0-or-later
// Shows the position of the visible lines in the whole logs; clicking or dragging goes to another place.
#pragma once

#include <QWidget>

namespace rankscope::ui {

class LogPosition final : public QWidget {
    Q_OBJECT
public:
    explicit LogPosition(QWidget* parent = nullptr);
    /// Sets the visible span as fractions of the whole, 0 to 1.
    void setSpan(double from, double to);
    double from() const { return m_from; }
    double to() const { return m_to; }
    QSize sizeHint() const override { return {12, 80}; }

signals:
    void asked(double fraction);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;

private:
    double fractionAt(double y) const;
    double m_from = 0, m_to = 1, m_dragged = -1;
};

} // namespace rankscope::ui
