// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/config/page/drop_hint.h"

#include "widgets/theme/theme.h"

#include <QDragEnterEvent>
#include <QFileInfo>
#include <QMimeData>
#include <QPainter>
#include <QUrl>

#include <algorithm>

namespace rankscope::ui {

DropHint::DropHint(QWidget* page) : QWidget(page) {
    setAttribute(Qt::WA_TransparentForMouseEvents); // the widget below gets the drop
    hide();
    watch(page);
}

void DropHint::watch(QWidget* also) {
    also->installEventFilter(this);
}

bool DropHint::eventFilter(QObject*, QEvent* event) {
    if (event->type() == QEvent::DragEnter) {
        const auto urls = static_cast<QDragEnterEvent*>(event)->mimeData()->urls();
        if (urls.size() == 1 && urls.front().isLocalFile()) {
            m_file = QFileInfo(urls.front().toLocalFile()).fileName();
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
    const QString text = tr("Drop to open %1").arg(m_file);
    painter.drawText(rect(), Qt::AlignCenter,
                     painter.fontMetrics().elidedText(text, Qt::ElideMiddle, std::max(100, width() - 60)));
}

} // namespace rankscope::ui
