// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/config/text/focus_outline.h"

#include "widgets/theme/theme.h"

#include <QAbstractScrollArea>
#include <QApplication>
#include <QEvent>
#include <QPainter>

namespace rankscope::ui {

FocusOutline::FocusOutline(QWidget* page) : QWidget(page) {
    setAttribute(Qt::WA_TransparentForMouseEvents);
    setFocusPolicy(Qt::NoFocus);
    hide();
    connect(qApp, &QApplication::focusChanged, this, [this](QWidget*, QWidget* now) {
        auto* pane = qobject_cast<QAbstractScrollArea*>(now);
        surround(pane && parentWidget()->isAncestorOf(pane) ? pane : nullptr);
    });
}

void FocusOutline::surround(QWidget* pane) {
    if (m_pane)
        m_pane->removeEventFilter(this);
    m_pane = pane;
    if (m_pane)
        m_pane->installEventFilter(this);
    place();
}

void FocusOutline::place() {
    setVisible(m_pane && m_pane->isVisible());
    if (!m_pane)
        return;
    setGeometry(QRect(m_pane->mapTo(parentWidget(), QPoint()), m_pane->size()));
    raise();
}

bool FocusOutline::eventFilter(QObject* watched, QEvent* event) {
    switch (event->type()) {
    case QEvent::Resize:
    case QEvent::Move:
    case QEvent::Show:
    case QEvent::Hide:
        if (watched == m_pane)
            QMetaObject::invokeMethod(this, &FocusOutline::place, Qt::QueuedConnection);
        break;
    default:
        break;
    }
    return QWidget::eventFilter(watched, event);
}

void FocusOutline::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setPen(Theme::instance().palette().accent);
    painter.drawRect(rect().adjusted(0, 0, -1, -1));
}

} // namespace rankscope::ui
