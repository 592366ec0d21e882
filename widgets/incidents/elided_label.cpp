// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/incidents/elided_label.h"

#include "widgets/models/tool_tip.h"

#include <QPainter>

namespace rankscope::ui {

ElidedLabel::ElidedLabel(QWidget* parent) : QWidget(parent) {
    setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
}

void ElidedLabel::setText(const QString& text) {
    if (text == m_text)
        return;
    m_text = text;
    setAccessibleName(text);
    updateTip();
    update();
}

QSize ElidedLabel::sizeHint() const {
    return {fontMetrics().horizontalAdvance(m_text), fontMetrics().height() + 4};
}

QSize ElidedLabel::minimumSizeHint() const {
    return {80, fontMetrics().height() + 4};
}

void ElidedLabel::updateTip() {
    setToolTip(fontMetrics().horizontalAdvance(m_text) > width() ? plainToolTip(m_text) : QString());
}

void ElidedLabel::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    updateTip();
}

void ElidedLabel::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setPen(palette().color(QPalette::WindowText));
    painter.drawText(rect(), Qt::AlignLeft | Qt::AlignVCenter,
                     fontMetrics().elidedText(m_text, Qt::ElideRight, width()));
}

} // namespace rankscope::ui
