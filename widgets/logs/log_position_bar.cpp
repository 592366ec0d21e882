// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/logs/log_position_bar.h"

#include "widgets/theme/theme.h"

#include <QMouseEvent>
#include <QPainter>

#include <algorithm>

namespace rankscope::ui {

LogPosition::LogPosition(QWidget* parent) : QWidget(parent) {
    setFixedWidth(sizeHint().width());
    setCursor(Qt::PointingHandCursor);
}

void LogPosition::setSpan(double from, double to) {
    m_from = std::clamp(from, 0.0, 1.0);
    m_to = std::clamp(to, m_from, 1.0);
    update();
}

double LogPosition::fractionAt(double y) const {
    return std::clamp(y / std::max(1, height() - 1), 0.0, 1.0);
}

void LogPosition::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const auto& palette = Theme::instance().palette();
    painter.fillRect(rect(), palette.raised);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(palette.accent);
    const double top = m_from * height(), tall = std::max(6.0, (m_to - m_from) * height());
    painter.drawRoundedRect(QRectF(3, std::min(top, height() - tall), width() - 6, tall), 3, 3);
    if (m_dragged >= 0) {
        painter.setBrush(palette.text);
        painter.drawRect(QRectF(0, m_dragged * (height() - 2), width(), 2));
    }
}

void LogPosition::mousePressEvent(QMouseEvent* event) {
    m_dragged = fractionAt(event->position().y());
    update();
}

void LogPosition::mouseMoveEvent(QMouseEvent* event) {
    if (m_dragged < 0)
        return;
    m_dragged = fractionAt(event->position().y());
    update();
}

void LogPosition::mouseReleaseEvent(QMouseEvent*) {
    if (m_dragged < 0)
        return;
    emit asked(m_dragged);
    m_dragged = -1;
    update();
}

} // namespace rankscope::ui
