// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/controls/overlay_panel.h"

#include "widgets/theme/theme.h"

#include <QApplication>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolButton>

namespace rankscope::ui {

OverlayPanel::OverlayPanel(QWidget* window) : QFrame(window), m_close(new QToolButton(this)) {
    setFocusPolicy(Qt::StrongFocus);
    m_close->setObjectName(QStringLiteral("overlayClose"));
    m_close->setIcon(Theme::instance().icon(QStringLiteral("close")));
    m_close->setAutoRaise(true);
    connect(m_close, &QToolButton::clicked, this, &OverlayPanel::leave);
    connect(&Theme::instance(), &Theme::changed, this, qOverload<>(&QWidget::update));
    window->installEventFilter(this);
    retranslateClose();
    hide();
}

void OverlayPanel::retranslateClose() {
    m_close->setToolTip(tr("Close (Esc)"));
    m_close->setAccessibleName(tr("Close"));
}

void OverlayPanel::toggle() {
    if (isVisible())
        leave();
    else
        open();
}

void OverlayPanel::open() {
    m_before = window()->focusWidget();
    prepare();
    place();
    show();
    raise();
    focusTarget()->setFocus(Qt::ShortcutFocusReason);
    qApp->installEventFilter(this);
}

void OverlayPanel::leave() {
    qApp->removeEventFilter(this);
    const bool focused = hasFocus() || (window()->focusWidget() && isAncestorOf(window()->focusWidget()));
    hide();
    if (focused && m_before)
        m_before->setFocus(Qt::OtherFocusReason);
}

void OverlayPanel::paintEvent(QPaintEvent*) {
    const Palette& p = Theme::instance().palette();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(p.secondary);
    painter.setBrush(p.raised);
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6);
}

void OverlayPanel::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Escape)
        leave();
    else
        QFrame::keyPressEvent(event);
}

void OverlayPanel::changeEvent(QEvent* event) {
    QFrame::changeEvent(event);
    if (event->type() != QEvent::LanguageChange)
        return;
    retranslateClose();
    if (isVisible()) {
        prepare();
        place();
    }
}

bool OverlayPanel::eventFilter(QObject* watched, QEvent* event) {
    if (!isVisible())
        return QFrame::eventFilter(watched, event);
    if (event->type() == QEvent::Resize && watched == parentWidget())
        place();
    auto* widget = qobject_cast<QWidget*>(watched);
    if (event->type() == QEvent::MouseButtonPress && widget && widget != this && !isAncestorOf(widget) &&
        widget->window() == window())
        leave();
    return QFrame::eventFilter(watched, event);
}

} // namespace rankscope::ui
