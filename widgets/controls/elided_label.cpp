// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/controls/elided_label.h"

#include "widgets/models/text/tool_tip.h"

#include <QEvent>
#include <QPainter>
#include <QTextLayout>

#include <algorithm>

namespace rankscope::ui {

ElidedLabel::ElidedLabel(QWidget* parent) : QWidget(parent) {
    setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Expanding);
}

void ElidedLabel::setText(const QString& text) {
    if (text == m_text)
        return;
    m_text = text;
    setAccessibleName(text);
    breakLines();
    update();
}

QSize ElidedLabel::sizeHint() const {
    return {fontMetrics().horizontalAdvance(m_text), fontMetrics().height() + 4};
}

QSize ElidedLabel::minimumSizeHint() const {
    return {80, fontMetrics().height() + 4};
}

void ElidedLabel::breakLines() {
    const QFontMetrics metrics = fontMetrics();
    const int most = std::max(1, height() / metrics.height());
    QTextLayout layout(m_text, font());
    m_lines.clear();
    bool isCut = false;
    layout.beginLayout();
    for (QTextLine line = layout.createLine(); line.isValid(); line = layout.createLine()) {
        line.setLineWidth(width());
        if (m_lines.size() == most - 1) {
            const QString rest = m_text.mid(line.textStart());
            m_lines << metrics.elidedText(rest, Qt::ElideRight, width());
            isCut = m_lines.last() != rest;
            break;
        }
        m_lines << m_text.mid(line.textStart(), line.textLength()).trimmed();
    }
    layout.endLayout();
    setToolTip(isCut ? plainToolTip(m_text) : QString());
}

void ElidedLabel::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    breakLines();
}

void ElidedLabel::changeEvent(QEvent* event) {
    if (event->type() == QEvent::FontChange)
        breakLines();
    QWidget::changeEvent(event);
}

void ElidedLabel::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setPen(palette().color(QPalette::WindowText));
    painter.drawText(rect(), Qt::AlignLeft | Qt::AlignVCenter, m_lines.join(QLatin1Char('\n')));
}

} // namespace rankscope::ui
