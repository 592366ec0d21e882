// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/config/page/drop_hint.h"

#include "widgets/theme/theme.h"

#include <QDragEnterEvent>
#include <QPainter>

#include <algorithm>
#include <utility>

namespace rankscope::ui {

DropHint::DropHint(QWidget* page, DropText text) : QWidget(page), m_text(std::move(text)) {
    setAttribute(Qt::WA_TransparentForMouseEvents); // the widget below gets the drop
    hide();
    watch(page);
}

void DropHint::watch(QWidget* also) {
    also->installEventFilter(this);
}

bool DropHint::eventFilter(QObject*, QEvent* event) {
    if (event->type() == QEvent::DragEnter) {
        m_shown = m_text(static_cast<QDragEnterEvent*>(event));
        if (!m_shown.isEmpty()) {
            setGeometry(parentWidget()->rect());
            raise();
            show();
        }
    } else if (event->type() == QEvent::DragLeave || event->type() == QEvent::Drop) {
        hide();
    }
    return false;
}

void DropHint::paintEvent(QPaintEvent*) {
    const Palette& p = Theme::instance().palette();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(p.accent, 2));
    QColor veil = blend(p.window, p.accent, 0.10);
    veil.setAlphaF(0.93F);
    painter.setBrush(veil);
    painter.drawRoundedRect(QRectF(rect()).adjusted(5, 5, -5, -5), 4, 4);
    painter.setFont(titleFont());
    painter.setPen(p.text);
    painter.drawText(rect(), Qt::AlignCenter,
                     painter.fontMetrics().elidedText(m_shown, Qt::ElideMiddle, std::max(100, width() - 60)));
}

} // namespace rankscope::ui
